import {
  describe,
  findEnvironmentValue,
  knownText,
  type OperationEffect,
  type OptionGrammar,
  type ParsedOptions,
  type ProgramCall,
  parseOptions,
  text,
  type Value,
  words,
} from "../../shell/index.ts";
import { isLoopback } from "../../system/index.ts";
import { ADDRESS, findImitated, type Registry, readInstallScript, readPackage } from "./package-names.ts";

/** How a program is told to install packages. */
interface Installer {
  readonly registry: Registry;
  /** its subcommands, `+` between the words of one; `*` where it has none */
  readonly verbs: string;
  /** subcommands behind which only the first word is a package: the rest is for the program in it */
  readonly runs?: string;
  /** the same, with `create-` before the name */
  readonly creates?: string;
  readonly options: OptionGrammar;
  /** options with names of packages */
  readonly packages?: string;
  /** options that name where packages are looked for */
  readonly index: string;
  /** options that name one repository or address to take the package from */
  readonly address?: string;
  /** variables that do what `index` does */
  readonly variables?: string;
}

const NPM: Omit<Installer, "verbs"> = {
  registry: "npm",
  options: {
    values:
      "registry tag prefix C|dir|cwd F|filter cache userconfig loglevel otp before omit include package c|call shell script-shell location save-prefix",
    abbreviates: false,
  },
  packages: "package",
  index: "registry",
  variables:
    "npm_config_registry NPM_CONFIG_REGISTRY YARN_REGISTRY YARN_NPM_REGISTRY_SERVER BUN_CONFIG_REGISTRY",
};

/** In npm these letters have values, in its rivals they are flags. */
const NPM_ITSELF = {
  ...NPM,
  options: { ...NPM.options, values: `${NPM.options.values} w|workspace p=package` },
} satisfies Omit<Installer, "verbs">;

const NPX: Installer = {
  ...NPM_ITSELF,
  options: { ...NPM_ITSELF.options, stopsAtOperand: true },
  verbs: "",
  runs: "*",
};

const PYPI: Omit<Installer, "verbs"> = {
  registry: "pypi",
  options: {
    values:
      "r|requirement|requirements c|constraint|constraints e|editable i|index-url extra-index-url f|find-links t|target prefix root python p platform python-version implementation abi log proxy timeout retries trusted-host cache-dir src upgrade-strategy index default-index pypi-mirror source G|group|optional extra E|extras with from spec python-preference index-strategy package m|marker rev tag branch d|dir C|directory P|project only-binary no-binary suffix pip-args",
    abbreviates: false,
  },
  packages: "from spec with",
  index: "i extra-index-url f index default-index pypi-mirror",
  variables:
    "PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS UV_INDEX UV_INDEX_URL UV_DEFAULT_INDEX UV_EXTRA_INDEX_URL",
};

const CARGO: Installer = {
  registry: "cargo",
  verbs: "add install",
  options: {
    values:
      "git branch tag rev path registry index vers|version root F|features p|package target target-dir j|jobs profile bin example rename color config Z manifest-path",
    abbreviates: false,
  },
  index: "index",
  address: "git",
};

const GEM: Omit<Installer, "verbs"> = {
  registry: "gem",
  options: {
    values:
      "v|version s|source i|install-dir n|bindir p|http-proxy P|trust-policy platform g|group git github gist branch ref path require glob",
    abbreviates: false,
  },
  index: "s",
  address: "git github gist",
};

const INSTALLERS: Readonly<Record<string, Installer>> = {
  npm: {
    ...NPM_ITSELF,
    verbs: "install i in ins inst insta instal isnt isnta isntal isntall add",
    runs: "exec x",
    creates: "create init innit",
  },
  pnpm: { ...NPM, verbs: "add install i", runs: "dlx", creates: "create" },
  yarn: { ...NPM, verbs: "add global+add", runs: "dlx", creates: "create" },
  bun: { ...NPM, verbs: "add a install i", runs: "x", creates: "create c" },
  npx: NPX,
  bunx: NPX,
  pnpx: NPX,
  pip: { ...PYPI, verbs: "install" },
  pip3: { ...PYPI, verbs: "install" },
  uv: { ...PYPI, verbs: "add pip+install tool+install", runs: "tool+run" },
  uvx: { ...PYPI, options: { ...PYPI.options, stopsAtOperand: true }, verbs: "", runs: "*" },
  pipx: { ...PYPI, verbs: "install", runs: "run" },
  poetry: { ...PYPI, verbs: "add" },
  pdm: { ...PYPI, verbs: "add" },
  pipenv: { ...PYPI, verbs: "install" },
  cargo: CARGO,
  gem: { ...GEM, verbs: "install i" },
  bundle: { ...GEM, verbs: "add" },
  go: {
    registry: "go",
    verbs: "get install",
    options: { values: "o p C mod modfile tags ldflags gcflags", isSingleDash: true, abbreviates: false },
    index: "",
    variables: "GOPROXY",
  },
};

let installers: ReadonlyMap<string, Installer> | undefined;

/** What is remarkable about the packages that this call installs, known without any network. */
export function installEffects(name: string, call: ProgramCall): readonly OperationEffect[] {
  installers ??= new Map(Object.entries(INSTALLERS));
  const installer = installers.get(name);
  if (installer === undefined) return installsOfOthers(name, call);
  const found = readInstall(installer, call);
  if (found === undefined) return [];
  const { registry } = installer;
  const line = [name, ...call.argv.slice(1).map(describe)].join(" ");
  const report = (
    rule: OperationEffect["rule"],
    what: string,
    rest: string,
    safer: string,
  ): OperationEffect => ({ kind: "operation", rule, what, target: line, rest, names: [], safer });
  const { looks, lists } = QUESTIONS[registry];
  const addresses = [...found.addresses.map(describe)];
  const effects: OperationEffect[] = [];
  for (const word of found.packages) {
    const spec = readPackage(registry, describe(word));
    if (spec.kind === "address") addresses.push(spec.address);
    if (knownText(word) === undefined) continue;
    const imitated = spec.kind === "package" ? findImitated(registry, spec.name) : undefined;
    if (spec.kind === "package" && imitated !== undefined) {
      const what = `install ${spec.name}, one letter away from ${imitated}`;
      effects.push(report("pkg.lookalike", what, imitated, `${looks} ${imitated}`));
    }
    const script = registry === "npm" && found.runsScripts ? readInstallScript(spec, call) : undefined;
    if (script !== undefined) {
      const what = `run the ${script} script of ${describe(word)}, which is new here`;
      effects.push(report("pkg.script", what, describe(word), "npm install --ignore-scripts {rest}"));
    }
  }
  for (const index of found.indexes.filter(each => isForeign(registry, each)))
    effects.push(report("pkg.index", `take packages from ${describe(index)}`, describe(index), lists));
  for (const address of addresses) {
    const what = `install what ${address} holds at that moment`;
    effects.push(report("pkg.address", what, address, looks));
  }
  return effects;
}

const INSTALLS = /^(?:--)?install(?:-(?:extension|plugin))?(?:=|$)/;
const ADDS = /^(?:add|upgrade|-[iUF]\w{0,3})$/;
/** An extension that comes as a file has passed no shop. */
const EXTENSION = /\.(?:vsix|xpi|crx)$/i;

/** Options with which nobody looks at who made a package. */
const UNCHECKED =
  /^--(?:dangerous|allow-unauthenticated|allow-untrusted|no-?signature|no-?gpg-?checks?|no-?verify-?(?:ssl|signatures?)|force-yes|allow-insecure\S*|skip-pgp-check|no-check-certificate)$/;

/** `brew install https://…`, `helm plugin install https://…`, `code --install-extension x.vsix`: whoever installs, from an address. */
function installsOfOthers(name: string, call: ProgramCall): readonly OperationEffect[] {
  const given = call.argv.slice(1).map(describe);
  const isUnchecked = given.some(word => UNCHECKED.test(word));
  const at = given.findIndex(word => INSTALLS.test(word) || (isUnchecked && ADDS.test(word)));
  if (at < 0 || given.slice(0, at).filter(word => !word.startsWith("-")).length > 1) return [];
  const address = given
    .slice(isUnchecked ? 0 : at)
    .map(word => (word.startsWith("--install") ? word.replace(/^[^=]*=?/, "") : word))
    .find(word => ADDRESS.test(word) || EXTENSION.test(word) || UNCHECKED.test(word));
  if (address === undefined) return [];
  const what = UNCHECKED.test(address)
    ? "install without a look at who made it"
    : `install what ${address} holds at that moment`;
  const target = [name, ...given].join(" ");
  return [
    {
      kind: "operation",
      rule: "pkg.address",
      what,
      target,
      rest: address,
      names: [],
      safer: `${name} --help`,
    },
  ];
}

/** Commands that look before anything is installed: what a package is, and where packages come from. */
const QUESTIONS: Readonly<Record<Registry, { readonly looks: string; readonly lists: string }>> = {
  npm: { looks: "npm view", lists: "npm config get registry" },
  pypi: { looks: "pip index versions", lists: "pip config list" },
  cargo: { looks: "cargo search", lists: "cargo search" },
  gem: { looks: "gem search", lists: "gem sources" },
  go: { looks: "go list -m -versions", lists: "go env GOPROXY" },
};

interface Install {
  readonly runsScripts: boolean;
  readonly packages: readonly Value[];
  readonly indexes: readonly Value[];
  readonly addresses: readonly Value[];
}

function readInstall(installer: Installer, call: ProgramCall): Install | undefined {
  const { options: grammar, verbs, runs = "", creates = "", variables = "" } = installer;
  const isProgram = runs === "*";
  const whole = parseOptions(call.argv, grammar);
  const operands = whole.operandValues;
  const named = installer.packages === undefined ? [] : whole.valuesOf(...words(installer.packages));
  const install = (packages: readonly Value[], options: ParsedOptions): Install => ({
    runsScripts: !options.isOn("ignore-scripts"),
    packages,
    indexes: [
      ...(installer.index === "" ? [] : options.valuesOf(...words(installer.index))),
      ...words(variables).flatMap(variable => findEnvironmentValue(call, variable) ?? []),
    ],
    addresses: installer.address === undefined ? [] : options.valuesOf(...words(installer.address)),
  });
  if (isProgram) return install(named.length > 0 ? named : operands.slice(0, 1), whole);
  const behind = (list: string) => wordsBehind(list, operands);
  const rest = behind(verbs);
  if (rest !== undefined) return install([...rest, ...editables(installer, whole)], whole);
  // Options behind the first word are for the program that is run.
  const run = behind(runs);
  if (run !== undefined) return install(named.length > 0 ? named : run.slice(0, 1), whole);
  const created = behind(creates)?.[0];
  if (created === undefined) return undefined;
  return install([text(createdName(describe(created)))], whole);
}

/** `pip install -e git+https://…` */
function editables({ registry }: Installer, options: ParsedOptions): readonly Value[] {
  return registry === "pypi" ? options.valuesOf("e") : [];
}

/** `npm create vite` runs the package `create-vite`, `npm create @scope` runs `@scope/create`. */
function createdName(name: string): string {
  if (!name.startsWith("@")) return /[:/]/.test(name) ? name : `create-${name}`;
  const [scope, rest] = name.split("/");
  return rest === undefined ? `${scope}/create` : `${scope}/create-${rest}`;
}

function wordsBehind(list: string, operands: readonly Value[]): readonly Value[] | undefined {
  for (const verb of words(list)) {
    const parts = verb.split("+");
    if (parts.every((part, index) => describe(operands[index] ?? text("")) === part))
      return operands.slice(parts.length);
  }
  return undefined;
}

/** Where packages of a registry are known to come from. */
const HOSTS: Readonly<Record<Registry, string>> = {
  npm: "registry.npmjs.org registry.yarnpkg.com npm.pkg.github.com npm.jsr.io registry.npmmirror.com",
  pypi: "pypi.org test.pypi.org pypi.python.org files.pythonhosted.org download.pytorch.org data.pyg.org pypi.nvidia.com pypi.ngc.nvidia.com pypi.anaconda.org pypi.tuna.tsinghua.edu.cn mirrors.aliyun.com",
  cargo: "index.crates.io static.crates.io crates.io",
  gem: "rubygems.org index.rubygems.org",
  go: "proxy.golang.org sum.golang.org",
};

/** Of package managers whose configuration of registries is not read here: Maven, Gradle, NuGet, Composer, Hex. */
const OTHER_HOSTS = `repo.maven.apache.org repo1.maven.org plugins.gradle.org services.gradle.org downloads.gradle.org
  api.nuget.org repo.packagist.org repo.hex.pm`;

/** The hosts from which package managers fetch when nobody tells them otherwise. */
export function registryHosts(): readonly string[] {
  return [...Object.values(HOSTS), OTHER_HOSTS].flatMap(hosts => words(hosts));
}

/** An address that is none of the registry's own and not on this machine; a plain name is one of the configuration. */
function isForeign(registry: Registry, index: Value): boolean {
  const known = knownText(index);
  if (known === undefined) return true;
  return known.split(/[,|\s]+/).some(each => {
    const host = /^[a-z+]+:\/\/(?:[^@/]*@)?(\[[^\]]*\]|[^/:]+)/i.exec(each)?.[1]?.toLowerCase();
    if (host === undefined || isLoopback(host)) return false;
    return !words(HOSTS[registry]).includes(host);
  });
}
