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
  return `${name} ${version} (${license})\n\n${textOf(name, folder)}\n`;
}

/** From its own file, or the last section of its README. */
function textOf(name, folder) {
  const names = readdirSync(folder);
  const file = names.find(each => /^licen[cs]e/i.test(each));
  if (file !== undefined) return readFileSync(`${folder}/${file}`, "utf8").trim();
  const readme = names.find(each => /^readme/i.test(each));
  const section =
    readme === undefined
      ? undefined
      : /^#+ licen[cs]e\s+(.*)/ims.exec(readFileSync(`${folder}/${readme}`, "utf8"));
  if (!section?.[1].includes("Copyright"))
    throw new Error(`${name} comes without the text of its licence, so it cannot be bundled`);
  return section[1].trim();
}
