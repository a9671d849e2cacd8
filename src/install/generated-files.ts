import { HOSTS, type HostId, planRegistrations } from "../hosts/index.ts";
import { quoteWord } from "../system/index.ts";
import { opencodePlugin } from "./modules/opencode.ts";
import { piExtension } from "./modules/pi.ts";
import type { ModuleOptions } from "./modules/runtime.ts";
import { namesHome } from "./places.ts";
import { callOf, quoteProgram } from "./wanted-entries.ts";

/** A file that belongs to us as a whole. */
export interface GeneratedFile {
  /** below the folder that the host's registration names, or "" for the very file it names */
  readonly name: string;
  readonly text: string;
  readonly isExecutable: boolean;
}

/** The texts of modules, by host. They are here because the hook program does not need them. */
const MODULES: Readonly<Partial<Record<HostId, (options: ModuleOptions) => string>>> = {
  opencode: opencodePlugin,
  pi: piExtension,
};

/** Files of hosts that take no entries in a shared file: modules, and programs by event. */
export function generateFiles(host: HostId, options: ModuleOptions): readonly GeneratedFile[] {
  const wholeFile = (text: string) => [{ name: "", text, isExecutable: false }];
  switch (HOSTS[host].registration?.layout.kind) {
    case "module":
      return wholeFile(MODULES[host]?.(options) ?? "");
    case "executables":
      return executables(host, options);
    default:
      return [];
  }
}

function writtenBy({ version }: ModuleOptions): string {
  return `# Written by amplihack ${version}. Changes are lost at the next install.\n`;
}

/** The host finds a hook by the name of an executable file. */
function executables(host: HostId, options: ModuleOptions): readonly GeneratedFile[] {
  return planRegistrations(host).registrations.map(registration => {
    const program = quoteProgram(options.program);
    const words = callOf(host, registration).map(quoteWord).join(" ");
    const text = `#!/bin/sh\n${writtenBy(options)}${unlessMissing(options.program)}exec ${program} ${words}\n`;
    return { name: registration.nativeEvent, text, isExecutable: true };
  });
}

/** A clone on a machine without the program is not held up. */
function unlessMissing(program: string): string {
  if (!namesHome(program)) return "";
  return `[ -x ${quoteProgram(program)} ] || { echo 'amplihack is not installed here' >&2; exit 0; }\n`;
}
