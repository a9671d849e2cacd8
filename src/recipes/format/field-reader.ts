import type { JsonObject } from "../../protocol/index.ts";
import { type YamlEntry, type YamlNode, yamlToJsonObject } from "./read-yaml.ts";

/** Called with what is wrong and where in the file. */
export type Report = (message: string, offset: number) => void;

/**
 * Reads the members of one YAML mapping by kind. A member that is null counts as absent; a wrong type is reported
 * as `<where><field> must be <type>` and counts as absent too. Members that were never read are `unknown()`.
 */
export class FieldReader {
  private readonly asked = new Set<string>();
  private readonly entries: ReadonlyMap<string, YamlEntry>;
  private readonly where: string;
  private readonly report: Report;

  constructor(entries: ReadonlyMap<string, YamlEntry>, where: string, report: Report) {
    this.entries = entries;
    this.where = where;
    this.report = report;
  }

  node(name: string): YamlNode | undefined {
    this.asked.add(name);
    const node = this.entries.get(name)?.node;
    return node?.kind === "scalar" && node.value === null ? undefined : node;
  }

  /** Where the value of a member stands; the key's place when it has none. */
  offset(name: string): number {
    const entry = this.entries.get(name);
    return entry?.node.offset ?? entry?.keyOffset ?? 0;
  }

  unknown(): readonly (readonly [string, YamlEntry])[] {
    return [...this.entries].filter(([name]) => !this.asked.has(name));
  }

  string(name: string): string | undefined {
    const node = this.node(name);
    const hint = node?.kind === "scalar" ? ` (put quotes around ${node.spelling})` : "";
    return this.read(name, `a string${hint}`, value => (typeof value === "string" ? value : undefined));
  }

  /** Text for people and names: a number or a boolean is taken as it was spelled. */
  label(name: string): string | undefined {
    return this.read(name, "a string", (_, node) => (node.kind === "scalar" ? node.spelling : undefined));
  }

  labels(name: string): readonly string[] | undefined {
    const type = "a list of strings";
    const items = this.read(name, type, (_, node) => (node.kind === "list" ? node.items : undefined));
    return items?.flatMap(item => {
      if (item.kind === "scalar" && item.value !== null) return [item.spelling];
      this.refuse(name, type, item);
      return [];
    });
  }

  boolean(name: string): boolean | undefined {
    return this.read(name, "a boolean (true or false)", value =>
      typeof value === "boolean" ? value : undefined,
    );
  }

  seconds(name: string): number | undefined {
    return this.read(name, "a number of seconds, 0 or more", value =>
      typeof value === "number" && value >= 0 ? value : undefined,
    );
  }

  integer(name: string): number | undefined {
    return this.read(name, "an integer, 0 or more", value =>
      typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined,
    );
  }

  readEntries(name: string): ReadonlyMap<string, YamlEntry> | undefined {
    return this.read(name, "a mapping", (_, node) => (node.kind === "map" ? node.entries : undefined));
  }

  map(name: string): JsonObject | undefined {
    const entries = this.readEntries(name);
    return entries === undefined ? undefined : yamlToJsonObject(entries);
  }

  /** `accept` is called with the value of a scalar, and undefined for other nodes. */
  private read<T>(
    name: string,
    type: string,
    accept: (value: unknown, node: YamlNode) => T | undefined,
  ): T | undefined {
    const node = this.node(name);
    if (node === undefined) return undefined;
    const accepted = accept(node.kind === "scalar" ? node.value : undefined, node);
    if (accepted === undefined) this.refuse(name, type, node);
    return accepted;
  }

  private refuse(name: string, type: string, node: YamlNode): void {
    this.report(`${this.where}${name} must be ${type}`, node.offset);
  }
}
