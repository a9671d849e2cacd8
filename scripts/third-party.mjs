// The licences of packages whose code is part of a bundle: each asks that its text goes wherever its code goes.
import { readdirSync, readFileSync } from "node:fs";

/** @param {readonly string[]} files that were bundled */
export function licenceText(files) {
  const packages = files.flatMap(path => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(packages)].sort().map(licenceOf).join("\n");
}

function licenceOf(name) {
  const folder = `node_modules/${name}`;
  const { version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find(each => /^licen[cs]e/i.test(each));
  if (file === undefined) throw new Error(`${name} has no file with its licence, so it cannot be bundled`);
  return `${name} ${version} (${license})\n\n${readFileSync(`${folder}/${file}`, "utf8").trim()}\n`;
}
