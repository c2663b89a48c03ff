// What the JavaScript clients make of a proxy. OpenSearch's wants bodies apart and answers within
// `body`; the rest is the same.
const [url, folder, name] = process.argv.slice(2)
const { Client } = require(require.resolve(name, { paths: [folder] }))
const client = new Client({ node: url })
const apart = name.includes('opensearch')
const words = { multi_match: { query: 'start project environment', fields: ['question^3', 'text'] } }

async function ask (method, path, body) {
  const said = await method.call(client, apart && body ? { ...path, body } : { ...path, ...body })
  return apart ? said.body : said
}

async function refused (asking) {
  try {
    await asking()
  } catch (error) {
    const said = apart ? error.meta?.body : error.body
    return [error.statusCode, said?.error?.reason ?? '']
  }
  return null
}

function search (body, path = {}) {
  return ask(client.search, { index: 'faq', ...path }, body)
}

async function main () {
  const page = await search({
    query: { bool: { must: words, filter: [{ terms: { course: ['basics', 'setup'] } }] } },
    size: 3,
    _source: ['question'],
    highlight: { fields: { question: {} } },
    aggs: { courses: { terms: { field: 'course' } } },
    sort: ['_score'],
    track_total_hits: true
  })
  const several = [{ index: 'faq' }, { query: words }, { index: 'other' }, { query: words }]
  const here = [{}, { query: words, size: 1 }]
  const searches = (lines) => apart ? lines : { searches: lines }
  const many = await ask(client.msearch, {}, searches(several))
  const own = await ask(client.msearch, { index: 'faq' }, searches(here))
  const ids = { ids: ['rrf', 'deadline-extension'] }
  const hits = page.hits.hits
  const open = apart ? client.createPit : client.openPointInTime
  console.log(JSON.stringify({
    cluster: (await ask(client.info, {})).cluster_name,
    ping: await ask(client.ping, {}),
    ids: hits.map((hit) => hit._id),
    indices: [...new Set(hits.map((hit) => hit._index))],
    sources: [...new Set(hits.flatMap((hit) => Object.keys(hit._source)))],
    highlight: hits[0].highlight.question,
    total: page.hits.total,
    buckets: page.aggregations.courses.buckets,
    query_id: page.ext.ubi.query_id.length > 40,
    msearch: many.responses.map((each) => each.status),
    here: own.responses.map((each) => each.hits.hits.length),
    count: (await ask(client.count, { index: 'faq' }, { query: words })).count,
    get: (await ask(client.get, { index: 'faq', id: 'enrol-late' }))._source.course,
    exists: [
      await ask(client.exists, { index: 'faq', id: 'bm25' }),
      await ask(client.exists, { index: 'faq', id: 'none' })
    ],
    mget: (await ask(client.mget, { index: 'faq' }, ids)).docs.map((doc) => [doc._id, doc.found]),
    documents: (await client.helpers.search({
      index: 'faq',
      ...(apart
        ? { body: { query: words, size: 1, _source: ['course'] } }
        : { query: words, size: 1, _source: ['course'] })
    })).map(({ course }) => ({ course })),
    missing: (await refused(() => ask(client.get, { index: 'faq', id: 'deadline-extension' })))[0],
    sort: await refused(() => search({ query: words, sort: ['course'] })),
    clause: (await refused(() => search({ query: { prefix: { question: 'jo' } } })))[0],
    index: await refused(() => search({ query: words }, { index: 'other' })),
    scroll: await refused(() => search({ query: words }, { scroll: '1m' })),
    scrolled: await refused(() => ask(client.scroll, {}, { scroll_id: 'x' })),
    pit: await refused(() => ask(open, { index: 'faq', keep_alive: '1m' })),
    write: (await refused(() => apart
      ? client.index({ index: 'faq', id: 'x', body: {} })
      : client.index({ index: 'faq', id: 'x', document: {} })))[0]
  }))
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
