import { planRegistrations, type WantedEntry, wantedEntries } from "./hook-registry.ts";
import type { ModuleOptions } from "./module-runtime.ts";
import { opencodePlugin } from "./opencode-plugin.ts";
import { quoteWord } from "./owned-command.ts";
import { piExtension } from "./pi-extension.ts";

/** A file that belongs to us as a whole. */
export interface GeneratedFile {
  /** below the folder that the host's registration names, or "" for the very file it names */
  readonly name: string;
  readonly text: string;
  readonly isExecutable: boolean;
}

/** Files of hosts that take no entries in a shared file: modules, programs by event, tables of our own. */
export function generateFiles(
  host: "opencode" | "pi" | "cline" | "atomcode",
  options: ModuleOptions,
): readonly GeneratedFile[] {
  switch (host) {
    case "opencode":
      return [{ name: "", text: opencodePlugin(options), isExecutable: false }];
    case "pi":
      return [{ name: "", text: piExtension(options), isExecutable: false }];
    case "cline":
      return clinePrograms(options);
    case "atomcode":
      return [{ name: "", text: atomcodeTables(options), isExecutable: false }];
  }
}

/** Cline finds a hook by the name of an executable file. */
function clinePrograms({ program, version }: ModuleOptions): readonly GeneratedFile[] {
  return planRegistrations("cline").registrations.map(({ nativeEvent, subcommand }) => {
    const words = [program, subcommand, "--host", "cline", "--event", nativeEvent].map(quoteWord).join(" ");
    const text = `#!/bin/sh\n# Written by amplihack ${version}. Changes are lost at the next install.\nexec ${words}\n`;
    return { name: nativeEvent, text, isExecutable: true };
  });
}

function atomcodeTables({ program, version }: ModuleOptions): string {
  const tables = wantedEntries("atomcode", { program, isShared: false }).map(tomlTable);
  return `# Written by amplihack ${version}. Changes are lost at the next install.\n\n${tables.join("\n")}`;
}

/** JSON strings and whole numbers are TOML, too. */
function tomlTable({ nativeEvent, handler }: WantedEntry): string {
  const members = Object.entries({ event: nativeEvent, ...handler });
  return `[[hooks]]\n${members.map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`).join("")}`;
}
