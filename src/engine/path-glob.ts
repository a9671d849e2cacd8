/** One piece of a glob. `enter` and `inside` together are any number of whole directories. */
type Piece =
  | { readonly kind: "character"; readonly character: string }
  | { readonly kind: "one" | "name" | "all" | "enter" | "inside" };

const PIECES: Readonly<Record<string, readonly Piece[]>> = {
  "**/": [{ kind: "enter" }, { kind: "inside" }],
  "**": [{ kind: "all" }],
  "*": [{ kind: "name" }],
  "?": [{ kind: "one" }],
};
const ANY_DEPTH: readonly Piece[] = [{ kind: "enter" }, { kind: "inside" }];

/**
 * As in ignore files: a rule without a slash holds at any depth, and a directory stands for all below it. All
 * readings of the glob are followed at once, so that no path takes longer than its length times the glob's.
 */
export function compilePathGlob(glob: string): (path: string) => boolean {
  const body = glob.replace(/\/$/, "");
  const pieces: readonly Piece[] = [
    ...(body.includes("/") ? [] : ANY_DEPTH),
    ...body
      .split(/(\*\*\/|\*\*|\*|\?)/)
      .flatMap(
        part => PIECES[part] ?? part.split("").map(character => ({ kind: "character", character }) as const),
      ),
  ];
  return path => fits(pieces, path);
}

function fits(pieces: readonly Piece[], path: string): boolean {
  let places = new Set<number>();
  reach(pieces, 0, places);
  for (let at = 0; at < path.length && places.size > 0; at++) {
    const character = path.charAt(at);
    if (character === "/" && places.has(pieces.length)) return true;
    const next = new Set<number>();
    for (const place of places) advance(pieces, place, character, next);
    places = next;
  }
  return places.has(pieces.length);
}

/** Adds a place and every one behind it that needs no character. */
function reach(pieces: readonly Piece[], place: number, places: Set<number>): void {
  if (places.has(place)) return;
  places.add(place);
  const kind = pieces[place]?.kind;
  if (kind === "name" || kind === "all") reach(pieces, place + 1, places);
  if (kind === "enter") {
    reach(pieces, place + 1, places);
    reach(pieces, place + 2, places);
  }
}

function advance(pieces: readonly Piece[], place: number, character: string, next: Set<number>): void {
  const piece = pieces[place];
  switch (piece?.kind) {
    case "character":
      if (piece.character === character) reach(pieces, place + 1, next);
      return;
    case "one":
      if (character !== "/") reach(pieces, place + 1, next);
      return;
    case "name":
      if (character !== "/") reach(pieces, place, next);
      return;
    case "all":
      reach(pieces, place, next);
      return;
    case "inside":
      reach(pieces, place, next);
      if (character === "/") reach(pieces, place + 1, next);
      return;
    default:
      return;
  }
}
