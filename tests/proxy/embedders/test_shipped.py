"""Files shipped by packages: missing, elsewhere, or not what they were."""

from __future__ import annotations

from proxy.embedders.shipped import Shipped


def test_a_missing_package_says_what_to_type() -> None:
    """
    The exact pin, not a guess.
    """
    shipped = Shipped("shadowrank-no-such-package", "1.2.3", "a/model.onnx", "0")

    assert (
        "the model's model.onnx is not installed: pip install shadowrank-no-such-package==1.2.3"
        == shipped.problem()
    )


def test_a_package_without_the_file_says_what_to_type() -> None:
    """
    Another version may ship it elsewhere.
    """
    assert "is not installed: pip install numpy==9" in str(
        Shipped("numpy", "9", "numpy/model.onnx", "0").problem()
    )


def test_another_files_content_is_refused() -> None:
    """
    The file is there but its hash isn't the pinned one: both are named.
    """
    shipped = Shipped("numpy", "9", "numpy/__init__.py", "0" * 64)

    found = str(shipped.problem())

    assert f"not {'0' * 64}: pip install numpy==9 --force-reinstall" in found
    assert f"{shipped.installed()} has sha256 " in found
