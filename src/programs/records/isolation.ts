import {
  joinPath,
  knownText,
  type Mount,
  normalisePath,
  type Output,
  type Place,
  runInner,
  text,
  unknownOutput,
  wordAt,
} from "../../shell/index.ts";
import type { Field, ParsedCall } from "../model/program.ts";
import { hostPaths } from "./mounts.ts";

/** Programs that give another one a file system of its own. */
export const isolation: Field = {
  toldExcept: "",
  programs: () => [
    {
      names: "chroot",
      isGnu: true,
      is: ["readsNothing"],
      options: { flags: "skip-chdir", values: "-ugG userspec groups", stopsAtOperand: true },
      run: runChroot,
    },
    { names: "bwrap", is: ["readsNothing"], run: runBubblewrap },
  ],
};

function runChroot(call: ParsedCall): Output {
  const [root, ...words] = call.operands;
  if (root === undefined) return [unknownOutput(call)];
  const roots = hostPaths(call.place, joinPath(call.cwd, root));
  const mounts = roots.map((host): Mount => ({ host, inside: text("/"), isReadOnly: false }));
  const argv = words.length === 0 ? [text("sh")] : words;
  const place: Place =
    call.place.kind === "remote" ? call.place : { kind: "container", via: "chroot", mounts };
  return runInner(argv, call, { place, cwd: text("/") });
}

/** bwrap: `--bind HOST INSIDE` and its relatives, then the program. */
function runBubblewrap(call: ParsedCall): Output {
  const mounts: Mount[] = [];
  let index = 1;
  while (index < call.argv.length) {
    const option = knownText(wordAt(call.argv, index));
    if (option === undefined || !option.startsWith("--")) break;
    const bind = /^--(ro-|dev-)?bind(?:-try)?$/.exec(option);
    if (bind !== null) {
      const [host, inside] = call.argv.slice(index + 1, index + 3);
      if (host !== undefined && inside !== undefined)
        mounts.push({
          host: joinPath(call.cwd, host),
          inside: normalisePath(inside),
          isReadOnly: bind[1] === "ro-",
        });
      index += 3;
    } else if (option === "--") {
      index += 1;
      break;
    } else
      index += /^--(?:setenv|symlink|file|bind-data|ro-bind-data|chmod)$/.test(option)
        ? 3
        : /^--(?:unshare|share|die-with|new-session|clearenv|as-pid-1)/.test(option)
          ? 1
          : 2;
  }
  return runInner(call.argv.slice(index), call, { place: { kind: "container", via: "bwrap", mounts } });
}
