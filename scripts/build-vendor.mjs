// Client libraries in CommonJS, which ES modules cannot hold: each is a file of its own that is loaded when it is used.
import { build } from "esbuild";

/** By package: its file in dist/vendor. */
const VENDORED = { pg: "pg.cjs", "@dbos-inc/dbos-sdk": "dbos.cjs" };
/** Modules inside a package that we use by themselves: they are in its file, beside what it exports. */
const INNER = {
  "@dbos-inc/dbos-sdk": ["@dbos-inc/dbos-sdk/internal/system_database"],
};
/** What these packages load only when their user has it. */
const ABSENT = ["pg-native", "@opentelemetry/*", "winston", "winston-transport"];

/** Leaves imports of vendored packages to their files; every importer lies one folder below dist. */
export const vendoredImports = {
  name: "vendored-imports",
  setup(builder) {
    for (const [name, file] of Object.entries(VENDORED))
      builder.onResolve({ filter: filterOf([name, ...(INNER[name] ?? [])]) }, () => ({
        path: `../vendor/${file}`,
        external: true,
      }));
  },
};

/** Writes to `vendor` in the folder `output`. @returns the files that went into the bundles */
export async function buildVendor(common, output) {
  const inputs = await Promise.all(Object.keys(VENDORED).map(name => buildPackage(common, output, name)));
  return inputs.flat();
}

async function buildPackage(common, output, name) {
  const others = Object.keys(VENDORED).filter(each => each !== name);
  const { metafile } = await build({
    ...common,
    // The form for Node: here the packages are asked for with `require`.
    mainFields: ["main"],
    stdin: { contents: sourceOf(name), resolveDir: process.cwd() },
    outfile: `${output}/vendor/${VENDORED[name]}`,
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

function sourceOf(name) {
  const [own, ...inner] = [name, ...(INNER[name] ?? [])].map(each => `require(${JSON.stringify(each)})`);
  return `module.exports = ${inner.length === 0 ? own : `Object.assign({}, ${[own, ...inner].join(", ")})`};`;
}

function filterOf(names) {
  return new RegExp(`^(${names.join("|")})$`);
}
