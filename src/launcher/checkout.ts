import { spawnSync } from "node:child_process";
import { Problem, programPath, programToStart } from "../state/index.ts";
import { join, type System } from "../system/index.ts";

export interface Repository {
  readonly owner: string;
  readonly name: string;
}

const NAME = "[A-Za-z0-9_][A-Za-z0-9._-]{0,99}";
const FORMS = ["", "https://github\\.com/", "git@github\\.com:", "ssh://git@github\\.com/"].map(
  start => new RegExp(`^${start}(${NAME})/(${NAME})/?$`),
);

/** `OWNER/REPO` or an address of github.com; everything else is refused. */
export function parseRepository(text: string): Repository {
  for (const form of FORMS) {
    const [, owner, name = ""] = form.exec(text) ?? [];
    const bare = name.replace(/\.git$/, "");
    if (owner !== undefined && bare !== "" && bare !== "..") return { owner, name: bare };
  }
  throw new Problem("--checkout-repo takes OWNER/REPO or an address of github.com", {
    kind: "usage",
    fix: "--checkout-repo OWNER/REPO",
    exitCode: 2,
  });
}

/** The directory of a clone below `parent`: the one that is there, or a new one. */
export function checkOut(
  system: Pick<System, "env" | "files" | "text">,
  repository: Repository,
  parent: string,
  isInteractive: boolean,
): string {
  const directory = join(parent, repository.name);
  if (system.files.inspect(directory) !== undefined) {
    checkOrigin(system, directory, repository);
    return directory;
  }
  const address = `https://github.com/${repository.owner}/${repository.name}.git`;
  const { status } = spawnSync(
    programToStart(system, "git"),
    ["clone", "--quiet", "--", address, directory],
    {
      stdio: [isInteractive ? "inherit" : "ignore", 2, 2],
      env: {
        ...process.env,
        PATH: programPath(system),
        ...(isInteractive ? {} : { GIT_TERMINAL_PROMPT: "0" }),
      },
    },
  );
  if (status === 0) return directory;
  throw new Problem(`could not clone ${repository.owner}/${repository.name} into ${directory}`, {
    kind: "checkout",
    fix: "see what git said above; check the name and your access to it",
  });
}

/** Refuses a directory of the same name that is no clone of the repository. */
function checkOrigin(
  system: Pick<System, "env" | "files" | "text">,
  directory: string,
  { owner, name }: Repository,
): void {
  const { stdout } = spawnSync(
    programToStart(system, "git"),
    ["-C", directory, "config", "--get", "remote.origin.url"],
    {
      encoding: "utf8",
      env: { ...process.env, PATH: programPath(system) },
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  try {
    const found = parseRepository((stdout ?? "").trim());
    if (found.owner.toLowerCase() === owner.toLowerCase() && found.name === name) return;
  } catch {
    // No address of github.com: told below.
  }
  throw new Problem(`${directory} exists and is not a clone of ${owner}/${name}`, {
    kind: "checkout",
    fix: "start elsewhere with --cwd, or move that directory away",
  });
}
