// index.mjs - which words stand in which texts of a folder, as JSON.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
const plain = new Set("a an and are as at be but by for had has he his if in is it its of on one or so that the them there they this to was were what when which who with would you no not from does did into nothing".split(" "));
const index = new Map();
let words = 0;

const texts = readdirSync(folder).filter((name) => name.endsWith(".txt")).sort();
for (const name of texts) {
  const text = readFileSync(join(folder, name), "utf8").toLowerCase();
  for (const [word] of text.matchAll(/\p{L}+/gu)) {
    words++;
    if (plain.has(word)) continue;
    const places = index.get(word) ?? new Map();
    places.set(name, (places.get(name) ?? 0) + 1);
    index.set(word, places);
  }
}

const count = (places) => [...places.values()].reduce((a, b) => a + b, 0);
const sorted = [...index].sort(([a, x], [b, y]) => count(y) - count(x) || (a < b ? -1 : 1));
writeFileSync("index.json", JSON.stringify(Object.fromEntries(
  [...index].sort().map(([word, places]) => [word, Object.fromEntries(places)]),
)));
console.log(JSON.stringify({
  texts: texts.length,
  words,
  distinct: index.size,
  frequent: Object.fromEntries(sorted.slice(0, 6).map(([word, places]) => [word, count(places)])),
  lookUp: { wind: Object.fromEntries(index.get("wind") ?? []) },
}, null, 1));
