import { wordSet } from "../../shell/index.ts";
import { globMatches } from "../../system/index.ts";

/** Names that only build tools give to a directory, wherever it lies. */
const DISTINCTIVE = wordSet(`
  node_modules bower_components jspm_packages __pycache__ .pytest_cache .mypy_cache .ruff_cache
  .hypothesis .ipynb_checkpoints .tox .nox .eggs .next .nuxt .turbo .parcel-cache .svelte-kit .angular
  .vite .webpack .rollup.cache .docusaurus .astro .nyc_output .gradle DerivedData .dart_tool .stack-work
  dist-newstyle elm-stuff zig-cache zig-out .zig-cache .pnpm-store .vercel_build_output cdk.out .aws-sam
  .serverless htmlcov playwright-report test-results storybook-static .eslintcache .stylelintcache Pods
  .cache .sass-cache .jest-cache .swc .terraform .bundle .yarn-cache .npm-cache lib-cov
`);

/** Names that mean build output wherever a build runs, but may mean anything at the top of a home directory. */
const COMMON = wordSet(
  "dist build out target coverage .output .venv venv .virtualenv _build _site .build .out cover",
);

/** Names that mean it inside a project only. */
const GENERIC = wordSet(`
  tmp temp .tmp .temp log logs cache obj site-packages dist-ssr dist-types coverage-report wheelhouse generated-docs test-output test-reports allure-results allure-report .scannerwork
`);

const DISTINCTIVE_PATTERNS = wordSet(`
  *.egg-info *.dist-info cmake-build-* bazel-* *.xcresult *.dSYM *.tsbuildinfo
`);
const GENERIC_PATTERNS = wordSet(`
  build-* dist-* *.build tmp-* tmp.* temp-* *.tmp *.cache *-cache coverage-*
`);

/** `vendor` holds checked-in code in some languages, only this much of it is always fetched again. */
const PAIRS = wordSet(
  "vendor/bundle .yarn/cache .yarn/install-state.gz public/build public/packs .vercel/output",
);

const JUNK = wordSet(`
  *.pyc *.pyo *.pyd *.o *.obj *.a.tmp *.lo *.log *.log.* *.tmp *.temp *.swp *.swo *.orig *.rej *.bak *~
  *.class *.gcda *.gcno *.tsbuildinfo *.profraw *.map *.pid *.cache *.coverage .coverage .coverage.*
  .DS_Store Thumbs.db ._* npm-debug.log* core.[0-9]* *.stackdump *.snap.new *.pending-snap .eslintcache
  nohup.out *.min.js.map *.hot-update.*
`);

/** Below these trees of the home directory programs keep what they can fetch or compute again. */
const HOME_CACHES = wordSet(`
  .cache .npm .pnpm-store .local/share/pnpm/store .yarn/cache .gradle/caches .gradle/daemon .m2/repository .cargo/registry .cargo/git
  .rustup/tmp .nuget/packages .ivy2/cache .bun/install/cache go/pkg .local/share/Trash Library/Caches
  Library/Developer/Xcode/DerivedData .pub-cache/hosted .pub-cache/git .ccache
`);

/** Whose they are: who names one of these programs may use its cache for the first time. */
const CACHE_PROGRAMS: readonly (readonly [prefix: string, programs: string])[] = [
  [".cargo/", "cargo"],
  [".m2/", "mvn"],
  [".gradle/", "gradle java"],
  [".nuget/", "dotnet"],
  [".bun/", "bun"],
  [".local/share/pnpm/", "pnpm"],
  ["go/", "go"],
  [".cache", "*"],
  [".npm", "*"],
];

/** Programs that keep something there, with a blank between; `*` for many, and nothing where no one is known. */
export function cacheUsers(cache: string): string {
  return CACHE_PROGRAMS.find(([prefix]) => cache.startsWith(prefix))?.[1] ?? "";
}

export function isDistinctiveName(name: string): boolean {
  return DISTINCTIVE.has(name) || DISTINCTIVE_PATTERNS.list.some(pattern => globMatches(pattern, name));
}

export function isGenericName(name: string): boolean {
  return (
    COMMON.has(name) || GENERIC.has(name) || GENERIC_PATTERNS.list.some(pattern => globMatches(pattern, name))
  );
}

export function isRegenerableName(name: string): boolean {
  return isDistinctiveName(name) || isGenericName(name);
}

export function isJunkName(name: string): boolean {
  return JUNK.list.some(pattern => globMatches(pattern, name));
}

/** A pattern as given to `-name` or in a glob: everything it matches is junk or build output. */
export function isRegenerablePattern(pattern: string): boolean {
  if (isRegenerableName(pattern) || JUNK.has(pattern) || DISTINCTIVE_PATTERNS.has(pattern)) return true;
  if (!/[*?[]/.test(pattern)) return isJunkName(pattern);
  // `*.py[co]` and `*.log.?` name no more than junk when each spelled-out variant is junk.
  const variants = expandClasses(pattern);
  return (
    variants.length > 0 &&
    variants.every(variant => isJunkName(variant.replace(/[*?]/g, "x")) && hasSuffix(variant))
  );
}

function hasSuffix(pattern: string): boolean {
  return (
    /[A-Za-z~]/.test(pattern.slice(pattern.lastIndexOf("*") + 1)) ||
    pattern.startsWith(".") ||
    /^[a-z]/.test(pattern)
  );
}

function expandClasses(pattern: string): string[] {
  const found = /\[([A-Za-z0-9]{1,8})\]/.exec(pattern);
  if (found === null) return pattern.includes("[") ? [] : [pattern];
  const members = found[1] ?? "";
  return [...members].flatMap(member =>
    expandClasses(pattern.slice(0, found.index) + member + pattern.slice(found.index + found[0].length)),
  );
}

/** Parts below a project: any of them names build output. */
export function isRegenerableInProject(parts: readonly string[]): boolean {
  return parts.some((part, index) => isRegenerableName(part) || PAIRS.has(`${part}/${parts[index + 1]}`));
}

/** Parts below some other directory: a distinctive name anywhere, a common one only at the end and not first. */
export function isRegenerableElsewhere(parts: readonly string[]): boolean {
  const last = parts.at(-1) ?? "";
  return parts.some(isDistinctiveName) || (parts.length > 1 && COMMON.has(last));
}

/** Below the home directory; a program fills them whenever it runs. What a person threw away is none of them. */
export function homeCaches(): readonly string[] {
  return HOME_CACHES.list.filter(cache => !cache.endsWith("/Trash"));
}

export function isHomeCache(parts: readonly string[]): boolean {
  const path = parts.join("/");
  return HOME_CACHES.list.some(
    cache => path.startsWith(`${cache}/`) || (path === cache && cache.includes("/")),
  );
}
