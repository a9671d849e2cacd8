import {
  concatenate,
  describe,
  dropKnown,
  isAbsolute,
  joinPath,
  knownPrefix,
  knownText,
  type Mount,
  normalisePath,
  type Place,
  text,
  unknown,
  type Value,
} from "../../shell/index.ts";

/** `HOST:INSIDE[:ro]`; a host part without a slash names a volume, which holds nothing of ours. */
export function readVolume(value: Value, cwd: Value): readonly Mount[] {
  const parts = splitValue(value, ":");
  const [host, inside, mode] = parts;
  if (host === undefined || inside === undefined || !isHostPath(host)) return [];
  return [
    {
      host: joinPath(cwd, host),
      inside: normalisePath(inside),
      isReadOnly: /(?:^|,)ro(?:,|$)/.test(knownText(mode ?? text("")) ?? ""),
    },
  ];
}

function isHostPath(host: Value): boolean {
  const [first] = host.pieces;
  return first?.kind !== "text" || /^[./~]/.test(first.text);
}

/** `type=bind,source=/a,target=/b`. */
export function readMount(value: Value, cwd: Value): readonly Mount[] {
  const fields = new Map(
    splitValue(value, ",").map(part => {
      const written = knownPrefix(part);
      const equals = written.indexOf("=");
      return equals < 0
        ? ([written, text("true")] as const)
        : ([written.slice(0, equals), dropKnown(part, equals + 1)] as const);
    }),
  );
  const host = fields.get("source") ?? fields.get("src");
  const inside = fields.get("target") ?? fields.get("destination") ?? fields.get("dst");
  if (host === undefined || inside === undefined || !isHostPath(host)) return [];
  return [
    {
      host: joinPath(cwd, host),
      inside: normalisePath(inside),
      isReadOnly: fields.has("readonly") || fields.has("ro"),
    },
  ];
}

/** Splits at a character of the known text. */
function splitValue(value: Value, separator: string): readonly Value[] {
  const parts: Value[][] = [[]];
  for (const piece of value.pieces) {
    if (piece.kind !== "text") {
      parts.at(-1)?.push({ pieces: [piece], origins: value.origins });
      continue;
    }
    piece.text.split(separator).forEach((content, index) => {
      if (index > 0) parts.push([]);
      parts.at(-1)?.push(text(content, value.origins));
    });
  }
  return parts.map(part => concatenate(part));
}

/**
 * The files of this machine that a path reaches: itself when not in a container, else what the mounts make of
 * it, and the mounts that lie below it. Empty when it is no file of ours.
 */
export function hostPaths(place: Place, path: Value): readonly Value[] {
  if (place.kind !== "container") return [path];
  const inside = normalisePath(path);
  if (place.mounts.length === 0) return [];
  if (!isAbsolute(inside)) return [unknown("any", describe(path))];
  const known = knownPrefix(inside);
  const isWhole = knownText(inside) !== undefined;
  const below: Value[] = [];
  let best: { readonly mount: Mount; readonly length: number } | undefined;
  for (const mount of place.mounts) {
    const root = knownText(mount.inside);
    if (root === undefined) return [unknown("any", describe(path))];
    const isIn = root === "/" || known === root || known.startsWith(`${root}/`);
    if (isIn && root.length > (best?.length ?? 0)) best = { mount, length: root.length };
    else if (!isIn && root.startsWith(known === "/" || !isWhole ? known : `${known}/`))
      below.push(mount.host);
  }
  if (best === undefined) return below;
  const rest = dropKnown(inside, best.length === 1 ? 0 : best.length);
  return [normalisePath(concatenate([best.mount.host, rest])), ...below];
}
