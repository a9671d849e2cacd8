/** What a server says about itself, which models read as their own instructions, and how much it may answer. */
import { isJsonObject, type Json, type JsonObject, stringAt } from "../../protocol/index.ts";
import { clipMiddle } from "../../text/index.ts";

/** One definition as the client may be shown it. */
export interface ReviewedDefinition {
  readonly name: string;
  /** the definition that a person accepted, or a stand-in for one that nobody has */
  readonly shown: JsonObject;
  /** why its calls wait for a person, in the words for each reader; undefined for an accepted one */
  readonly held: { readonly person: string; readonly model: string } | undefined;
}

/** Remembers the definitions of one server, so that a change of them is noticed. */
export interface DefinitionKeeper {
  /** `isWhole`: the server has no more of them, so that whatever comes later is new */
  review(definitions: readonly JsonObject[], isWhole: boolean): Promise<readonly ReviewedDefinition[]>;
  /** a person has seen what is held of this name and accepts it */
  accept(name: string): void;
  /** what in a text of the server's is worded as orders for a model, for the person; undefined for nothing */
  orders(text: Json): Promise<string | undefined>;
}

/** The server's own words for the model, kept as a definition of this name. No tool may have it. */
export const INSTRUCTIONS = "(instructions)";

/** The definitions of one connection: what is held of them, and what the client is shown instead. */
export class Definitions {
  private readonly keeper: DefinitionKeeper;
  private readonly warn: (message: string) => void;
  private readonly known = new Map<string, ReviewedDefinition>();
  private isListed = false;

  constructor(keeper: DefinitionKeeper, warn: (message: string) => void) {
    this.keeper = keeper;
    this.warn = warn;
  }

  /** The answer to `tools/list` as the client may have it. */
  async reviewList(result: Json | undefined): Promise<JsonObject> {
    const given = isJsonObject(result) ? result : {};
    const listed = Array.isArray(given["tools"]) ? given["tools"].filter(isJsonObject) : [];
    const tools = listed.filter((tool, index) => this.isFirst(listed, tool, index));
    const isWhole = given["nextCursor"] === undefined;
    const reviewed = await this.keeper.review(tools, isWhole);
    for (const each of reviewed) this.note(each);
    if (isWhole) this.isListed = true;
    return { ...given, tools: reviewed.map(({ shown }) => shown) };
  }

  /** The answer to `initialize`, with the instructions that were accepted. */
  async reviewWelcome(result: Json | undefined): Promise<JsonObject> {
    const { instructions, ...rest } = isJsonObject(result) ? result : {};
    if (typeof instructions !== "string") return rest;
    const [reviewed] = await this.keeper.review([{ name: INSTRUCTIONS, description: instructions }], false);
    if (reviewed?.held !== undefined) this.warn(reviewed.held.person);
    const shown = stringAt(reviewed?.shown, "description");
    return shown === undefined ? rest : { ...rest, instructions: shown };
  }

  /** Lists the tools if nobody has yet, so that a call is compared with a definition. */
  async reviewAll(list: (cursor: string | undefined) => Promise<Json | undefined>): Promise<void> {
    let cursor: string | undefined;
    for (let page = 0; !this.isListed && page < MAX_PAGES; page++) {
      const result = await list(cursor);
      await this.reviewList(result);
      cursor = stringAt(result, "nextCursor");
    }
    this.isListed = true;
  }

  /** What a person has to accept before this tool runs. A tool that was never listed has a name and nothing else. */
  async whyHeld(name: string): Promise<ReviewedDefinition["held"]> {
    if (!this.known.has(name)) {
      const [reviewed] = await this.keeper.review([{ name }], true);
      if (reviewed !== undefined) this.note(reviewed);
    }
    return this.known.get(name)?.held;
  }

  accept(name: string): void {
    this.keeper.accept(name);
    const known = this.known.get(name);
    if (known !== undefined) this.known.set(name, { ...known, held: undefined });
  }

  orders(text: Json): Promise<string | undefined> {
    return this.keeper.orders(text);
  }

  /** The server says that its tools are others now. */
  forget(): void {
    this.isListed = false;
    this.known.clear();
  }

  private isFirst(listed: readonly JsonObject[], tool: JsonObject, index: number): boolean {
    const name = stringAt(tool, "name");
    if (name === undefined || name === INSTRUCTIONS) return false;
    const isFirst = listed.findIndex(each => stringAt(each, "name") === name) === index;
    if (!isFirst) this.warn(`the server lists two tools with the name ${name}; the second is left out`);
    return isFirst && index < MAX_TOOLS;
  }

  private note(reviewed: ReviewedDefinition): void {
    const before = this.known.get(reviewed.name)?.held?.person;
    this.known.set(reviewed.name, reviewed);
    if (reviewed.held !== undefined && reviewed.held.person !== before) this.warn(reviewed.held.person);
  }
}

const MAX_PAGES = 50;
const MAX_TOOLS = 1_000;
/** As much of a text as is searched for orders; what nobody has read is not handed on. */
const MAX_TEXT = 200_000;
const MAX_DATA = 8 * 1024 * 1024;

/** A result of bounded size: texts lose their middle, and what cannot be shortened is named instead. */
export function boundResult(result: Json): Json {
  if (!isJsonObject(result)) return result;
  const structured = result["structuredContent"];
  const { structuredContent: _, ...rest } = result;
  const isTooLarge = structured !== undefined && JSON.stringify(structured).length > MAX_TEXT;
  const given = isTooLarge ? { ...rest, isError: true } : result;
  const note = isTooLarge ? [textPart("the structured result was left out: it is too large")] : [];
  let [text, data] = [MAX_TEXT, MAX_DATA];
  const bound = (part: Json): Json => {
    if (!isJsonObject(part)) return part;
    const inner = part["resource"];
    if (isJsonObject(inner)) return { ...part, resource: bound(inner) };
    const words = stringAt(part, "text");
    if (words !== undefined) {
      const kept = words.length <= text ? words : shortened(words, text);
      text -= Math.min(text, kept.length);
      return kept === words ? part : { ...part, text: kept };
    }
    const bytes = stringAt(part, "data", "blob");
    if (bytes === undefined) return part;
    data -= bytes.length;
    return data < 0 ? leftOut(part) : part;
  };
  const lists = ["content", "contents"].flatMap(name => {
    const parts = given[name];
    return Array.isArray(parts) ? [[name, parts.map(bound)] as const] : [];
  });
  const bounded = { ...given, ...Object.fromEntries(lists) };
  const content = Array.isArray(bounded["content"]) ? bounded["content"] : [];
  return note.length === 0 ? bounded : { ...bounded, content: [...content, ...note] };
}

function leftOut({ data: _, blob, ...part }: JsonObject): JsonObject {
  const text = "[left out by amplihack mcp guard: the result is too large]";
  return blob === undefined ? textPart(text) : { ...part, text };
}

export function textPart(text: string): JsonObject {
  return { type: "text", text };
}

function shortened(text: string, length: number): string {
  const note = `[shortened by amplihack mcp guard: ${text.length} characters]`;
  return length === 0 ? note : `${clipMiddle(text, length)}\n${note}`;
}
