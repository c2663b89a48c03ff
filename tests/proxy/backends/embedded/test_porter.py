"""The stemmer against the examples of Porter's paper and known edges."""

from __future__ import annotations

import re

import pytest

from proxy.backends.embedded.porter import stem

PAPER = """
caresses caress  ponies poni  ties ti  caress caress  cats cat  feed feed  agreed agre
plastered plaster  bled bled  motoring motor  sing sing  conflated conflat  troubled troubl
sized size  hopping hop  tanned tan  falling fall  hissing hiss  fizzed fizz  failing fail
filing file  happy happi  sky sky  relational relat  conditional condit  rational ration
valenci valenc  hesitanci hesit  digitizer digit  conformabli conform  radicalli radic
differentli differ  vileli vile  analogousli analog  vietnamization vietnam  predication predic
operator oper  feudalism feudal  decisiveness decis  hopefulness hope  callousness callous
formaliti formal  sensitiviti sensit  sensibiliti sensibl  triplicate triplic  formative form
formalize formal  electriciti electr  electrical electr  hopeful hope  goodness good
revival reviv  allowance allow  inference infer  airliner airlin  gyroscopic gyroscop
adjustable adjust  defensible defens  irritant irrit  replacement replac  adjustment adjust
dependent depend  adoption adopt  homologou homolog  communism commun  activate activ
angulariti angular  homologous homolog  effective effect  bowdlerize bowdler  probate probat
rate rate  cease ceas  controll control  roll roll
"""


@pytest.mark.parametrize(("word", "expected"), re.findall(r"(\w+) (\w+)", PAPER))
def test_stems_as_in_the_paper(word: str, expected: str) -> None:
    """
    Every example of the paper's rules, taken through all the steps.
    """
    assert expected == stem(word)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("is", "is"),
        ("", ""),
        ("archaeology", "archaeolog"),
        ("possibly", "possibl"),
        ("generally", "gener"),
        ("news", "new"),
        ("dying", "dy"),
        ("yes", "ye"),
        ("ion", "ion"),
        ("3.5", "3.5"),
        ("naïve", "naïv"),
    ],
)
def test_keeps_lucenes_amendments_and_edges(word: str, expected: str) -> None:
    """
    `logi` and `bli` as Lucene has them, and none of Porter2's (news, dying).
    """
    assert expected == stem(word)
