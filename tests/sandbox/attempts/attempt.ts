/** The layers that a policy demands. */
export const SETS = {
  all: ["namespaces", "landlock", "seccomp"],
  "without Landlock": ["namespaces", "seccomp"],
  "without namespaces": ["landlock", "seccomp"],
  bwrap: ["namespaces", "seccomp"],
} as const;
export type SetName = keyof typeof SETS;

/**
 * One way out of the sandbox. It got out when it prints `ESCAPED` or the content of a secret, or when what it names is
 * there afterwards. A script of `sh` unless it is one of Python.
 */
export interface Attempt {
  readonly name: string;
  readonly script: string;
  readonly language: "sh" | "python";
  /** false: outside the sandbox it would change this machine or asks for more rights than the tests have */
  readonly worksBare: boolean;
  /** layers without which it gets out, as `OPEN_WITHOUT` says */
  readonly open: readonly SetName[];
  /** must not be there afterwards, below the project */
  readonly leaves?: string;
  /** its input is a file outside the project, opened for reading */
  readonly readsOutside?: boolean;
}

type Options = Partial<Pick<Attempt, "worksBare" | "open" | "leaves" | "readsOutside">>;

/** Only single files below writable folders, other processes' names and the like: see `OPEN_WITHOUT`. */
export const OPEN_WITHOUT_VIEW: Options = { open: ["without namespaces"] };
/** The same of files that were not there before, and which `bwrap` cannot keep from coming into being. */
export const OPEN_WHERE_NONE_WAS: Options = { open: ["without namespaces", "bwrap"] };
/** What no layer can tell from what every program does: see docs/sandbox.md, What is open. */
export const OPEN_ALWAYS: Options = { open: ["all", "without Landlock", "without namespaces", "bwrap"] };
/** Would change the machine, or needs rights or devices that few have. */
export const NOT_BARE: Options = { worksBare: false };

export function sh(name: string, script: string, options: Options = {}): Attempt {
  return { name, script, language: "sh", worksBare: true, open: [], ...options };
}

export function python(name: string, script: string, options: Options = {}): Attempt {
  return { name, script, language: "python", worksBare: true, open: [], ...options };
}

/** A command that must fail. */
export function refused(name: string, command: string, options: Options = {}): Attempt {
  return sh(name, `${command} && echo ESCAPED`, options);
}
