import { isJsonObject, type Json, type JsonObject } from "../../protocol/index.ts";
import { valueText } from "./value.ts";

/** One context value as shell variable. */
interface MirrorEntry {
  /** the keys that lead to it, joined by NUL: a key may itself hold a dot */
  readonly keys: string;
  readonly value: string;
}

/** The whole context as shell variables, before sizes are looked at. */
export interface Mirror {
  /** `RECIPE_VAR_…` by name; where two paths make one name the first keeps it */
  readonly variables: ReadonlyMap<string, MirrorEntry>;
  /** upper-case names of plain values */
  readonly aliases: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

const PREFIX = "RECIPE_VAR_";

/** Names that decide how programs are found, loaded or interpreted; a context value never replaces them. */
const PROTECTED: ReadonlySet<string> = new Set(
  `PATH HOME SHELL PWD OLDPWD USER LOGNAME MAIL HOSTNAME TERM DISPLAY EDITOR VISUAL LANG TMP TMPDIR IFS ENV BASH_ENV
   SHELLOPTS BASHOPTS PROMPT_COMMAND PS1 PS2 PS3 PS4 LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES
   DYLD_LIBRARY_PATH GLIBC_TUNABLES PYTHONPATH PYTHONSTARTUP NODE_OPTIONS PERL5OPT RUBYOPT GIT_SSH_COMMAND CLAUDECODE`.split(
    /\s+/,
  ),
);

function isProtected(name: string): boolean {
  return PROTECTED.has(name) || name.startsWith("LC_") || name.startsWith("AMPLIHACK_");
}

/** The variable a placeholder path is mirrored in. */
export function variableName(path: string): string {
  return PREFIX + path.replaceAll(".", "__").replaceAll("-", "_");
}

const mirrors = new WeakMap<JsonObject, Mirror>();

/** Made once per context; contexts are never changed in place. */
export function mirrorOf(context: JsonObject): Mirror {
  const known = mirrors.get(context);
  if (known !== undefined) return known;
  const mirror = buildMirror(context);
  mirrors.set(context, mirror);
  return mirror;
}

function buildMirror(context: JsonObject): Mirror {
  const variables = new Map<string, MirrorEntry>();
  const aliases = new Map<string, string>();
  const warnings: string[] = [];

  const clean = (path: string, value: Json): string => {
    const text = valueText(value);
    if (!text.includes("\0")) return text;
    warnings.push(`NUL characters were removed from '${path}'`);
    return text.replaceAll("\0", "");
  };
  const add = (keys: readonly string[], value: Json): void => {
    const path = keys.join(".");
    const name = variableName(path);
    if (/^\w+$/.test(name) && !variables.has(name)) {
      variables.set(name, { keys: keys.join("\0"), value: clean(path, value) });
    }
    if (!isJsonObject(value)) return;
    for (const [key, member] of Object.entries(value)) add([...keys, key], member);
  };

  for (const [key, value] of Object.entries(context)) {
    add([key], value);
    if (typeof value === "object" && value !== null) continue;
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) continue;
    const alias = key.toUpperCase();
    if (isProtected(alias)) warnings.push(`Context key '${key}' is not exported as ${alias}`);
    else aliases.set(alias, clean(key, value));
  }
  return { variables, aliases, warnings: [...new Set(warnings)] };
}
