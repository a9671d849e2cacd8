import type { JsonObject } from "../../protocol/index.ts";
import { toJsonObject, type YamlEntry, type YamlNode } from "./read-yaml.ts";

/** Called with what is wrong and where in the file. */
export type Report = (message: string, offset: number) => void;

/**
 * Reads the members of one YAML mapping by kind. A member that is null counts as absent; a wrong type is reported
 * as `<where><field> must be <type>` and counts as absent too. What nobody asked for is left in `unknown()`.
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

  text(name: string): string | undefined {
    const node = this.node(name);
    if (node === undefined) return undefined;
    if (node.kind === "scalar" && typeof node.value === "string") return node.value;
    const hint = node.kind === "scalar" ? ` (put quotes around ${node.spelling})` : "";
    return this.refuse(name, `a string${hint}`, node);
  }

  /** Text for people and names: a number or a boolean is taken as it was spelled. */
  label(name: string): string | undefined {
    const node = this.node(name);
    if (node === undefined) return undefined;
    return node.kind === "scalar" ? node.spelling : this.refuse(name, "a string", node);
  }

  labels(name: string): readonly string[] | undefined {
    const node = this.node(name);
    if (node === undefined) return undefined;
    if (node.kind !== "list") return this.refuse(name, "a list of strings", node);
    const labels: string[] = [];
    for (const item of node.items) {
      if (item.kind === "scalar" && item.value !== null) labels.push(item.spelling);
      else this.refuse(name, "a list of strings", item);
    }
    return labels;
  }

  flag(name: string): boolean | undefined {
    const node = this.node(name);
    if (node === undefined) return undefined;
    if (node.kind === "scalar" && typeof node.value === "boolean") return node.value;
    return this.refuse(name, "a boolean (true or false)", node);
  }

  seconds(name: string): number | undefined {
    const node = this.node(name);
    if (node === undefined) return undefined;
    if (node.kind === "scalar" && typeof node.value === "number" && node.value >= 0) return node.value;
    return this.refuse(name, "a number of seconds, 0 or more", node);
  }

  count(name: string): number | undefined {
    const node = this.node(name);
    if (node === undefined) return undefined;
    if (node.kind === "scalar" && Number.isSafeInteger(node.value) && Number(node.value) >= 0) {
      return Number(node.value);
    }
    return this.refuse(name, "an integer, 0 or more", node);
  }

  entriesOf(name: string): ReadonlyMap<string, YamlEntry> | undefined {
    const node = this.node(name);
    if (node === undefined) return undefined;
    return node.kind === "map" ? node.entries : this.refuse(name, "a mapping", node);
  }

  map(name: string): JsonObject | undefined {
    const entries = this.entriesOf(name);
    return entries === undefined ? undefined : toJsonObject(entries);
  }

  private refuse(name: string, type: string, node: YamlNode): undefined {
    this.report(`${this.where}${name} must be ${type}`, node.offset);
  }
}
