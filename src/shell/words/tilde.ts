import { directoryName } from "../paths.ts";
import { homeAt } from "../place.ts";
import type { Scope } from "../state/types.ts";
import { lookUp, scalarValues } from "../state/variables.ts";
import { text, type Value } from "../value.ts";

/**
 * Expands `~`, `~/…`, `~+`, `~-` and `~user` at the start of unquoted text. `endsWord`: nothing follows this
 * text in the word, so that a name without a slash is complete.
 */
export function expandTilde(written: string, endsWord: boolean, scope: Scope): readonly (readonly Value[])[] {
  const slash = written.indexOf("/");
  if (!written.startsWith("~") || (slash < 0 && !endsWord)) return [[text(written)]];
  const name = written.slice(1, slash < 0 ? undefined : slash);
  const rest = slash < 0 ? [] : [text(written.slice(slash))];
  const homes = homesOf(name, scope);
  return homes === undefined ? [[text(written)]] : homes.map(home => [home, ...rest]);
}

function homesOf(name: string, scope: Scope): readonly Value[] | undefined {
  const { context } = scope.session;
  if (name === "" || name === context.user) return scalarValues(lookUp("HOME", scope));
  if (name === "+") return scope.state.cwds;
  if (name === "-") return scope.state.previousCwds;
  if (name === "root") return [text("/root")];
  if (!/^[A-Za-z_][\w.-]*$/.test(name)) return undefined;
  return [text(`${directoryName(homeAt(scope.place, context.home))}/${name}`)];
}
