// What a release is made of, as a CycloneDX document: packages of npm that it needs or that are bundled into it, and the
// crates of the native program. All of it comes from the lock files, so that equal sources give an equal document.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fail, writeJson } from "./release-files.mjs";

const BUNDLED = "dist/THIRD-PARTY-LICENSES.txt";

/**
 * @param {string} out where the document goes
 * @param {{ readonly name: string, readonly version: string, readonly license: string }} main the main package
 */
export function addSbom(out, main) {
  const components = [...npmComponents(), ...crateComponents()];
  writeJson(join(out, `${main.name}-${main.version}.cdx.json`), {
    $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { component: componentOf("npm", "application", main.name, main) },
    components: components.sort((one, other) => (one["bom-ref"] < other["bom-ref"] ? -1 : 1)),
  });
}

function npmComponents() {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const bundled = bundledNames();
  return Object.entries(packages).flatMap(([path, entry]) => {
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const isBundled = bundled.has(`${name} ${entry.version}`);
    if (path === "" || (entry.dev === true && !isBundled)) return [];
    if (entry.integrity === undefined) fail(`package-lock.json has no integrity for ${name}`, 1);
    const hashes = [hashOf(entry.integrity)];
    const scope = entry.optional === true ? "optional" : "required";
    return [{ ...componentOf("npm", "library", name, entry), scope, hashes }];
  });
}

/** Packages whose code is in `dist`, whatever package.json calls them. */
function bundledNames() {
  if (!existsSync(BUNDLED)) fail("dist is not built; npm run build makes it", 1);
  const lines = readFileSync(BUNDLED, "utf8").matchAll(/^((?:@[\w.-]+\/)?[\w.-]+) (\d\S*) \([^)]*\)$/gm);
  return new Set([...lines].map(([, name, version]) => `${name} ${version}`));
}

function hashOf(integrity) {
  const [algorithm, base64] = integrity.split(" ")[0].split(/-(.*)/s);
  return { alg: algorithm.replace("sha", "SHA-"), content: Buffer.from(base64, "base64").toString("hex") };
}

const OWN_PROGRAMS = ["amplihack-native", "amplihack-sandbox"];

function crateComponents() {
  const blocks = readFileSync("native/Cargo.lock", "utf8").split("[[package]]").slice(1);
  const memberOf = (block, name) => new RegExp(`^${name} = "(.*)"$`, "m").exec(block)?.[1];
  return blocks.flatMap(block => {
    const [name, version, checksum] = ["name", "version", "checksum"].map(each => memberOf(block, each));
    // Our own crates come from nowhere else; those that only build are no part of a release.
    if (memberOf(block, "source") === undefined)
      return OWN_PROGRAMS.includes(name)
        ? [{ ...componentOf("cargo", "application", name, { version }), scope: "required" }]
        : [];
    if (checksum === undefined) fail(`native/Cargo.lock has no checksum for ${name}`, 1);
    const hashes = [{ alg: "SHA-256", content: checksum }];
    return [{ ...componentOf("cargo", "library", name, { version }), scope: "required", hashes }];
  });
}

function componentOf(kind, type, name, { version, license }) {
  const purl = `pkg:${kind}/${name.replace("@", "%40")}@${version}`;
  return {
    type,
    "bom-ref": purl,
    name,
    version,
    ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
    purl,
  };
}
