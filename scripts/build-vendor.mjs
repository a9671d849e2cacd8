// Client libraries in CommonJS, which ES modules cannot hold: each is a file of its own that is loaded when it is used.
import { build } from "esbuild";

/** By package: its file in dist/vendor. */
const VENDORED = { pg: "pg.cjs", "@dbos-inc/dbos-sdk": "dbos.cjs" };
/** What these packages load only when their user has it. */
const ABSENT = ["pg-native", "@opentelemetry/*", "winston", "winston-transport"];

/** Leaves imports of vendored packages to their files; every importer lies one folder below dist. */
export const vendoredImports = {
  name: "vendored-imports",
  setup(builder) {
    builder.onResolve({ filter: filterOf(Object.keys(VENDORED)) }, ({ path }) => ({
      path: `../vendor/${VENDORED[path]}`,
      external: true,
    }));
  },
};

/** @returns the files that went into the bundles */
export async function buildVendor(common) {
  const inputs = await Promise.all(Object.keys(VENDORED).map(name => buildPackage(common, name)));
  return inputs.flat();
}

async function buildPackage(common, name) {
  const others = Object.keys(VENDORED).filter(each => each !== name);
  const { metafile } = await build({
    ...common,
    // The form for Node: here the packages are asked for with `require`.
    mainFields: ["main"],
    stdin: { contents: `module.exports = require(${JSON.stringify(name)});`, resolveDir: process.cwd() },
    outfile: `dist/vendor/${VENDORED[name]}`,
    format: "cjs",
    minify: true,
    metafile: true,
    external: ABSENT,
    plugins: [
      {
        name: "beside",
        setup(builder) {
          builder.onResolve({ filter: filterOf(others) }, ({ path }) => ({
            path: `./${VENDORED[path]}`,
            external: true,
          }));
        },
      },
    ],
  });
  return Object.keys(metafile.inputs);
}

function filterOf(names) {
  return new RegExp(`^(${names.join("|")})$`);
}
