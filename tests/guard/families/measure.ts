import type { MemorySystem } from "../../../src/system/memory.ts";
import { HOME, judge, machine, PROJECT } from "../scene.ts";

/** The machine of the scene with secrets in the project too, so that what is read and overwritten is there. */
export const FILLED = machine({
  [`${PROJECT}/.env`]: "API_KEY=abc\n",
  [`${PROJECT}/.env.local`]: "API_KEY=abc\n",
  [`${PROJECT}/terraform.tfvars`]: 'password = "abc"\n',
  [`${HOME}/.kube/config`]: "users:\n",
});

/** A project that was just cloned: nobody made a `.env` yet. */
export const FRESH = machine({
  [`${PROJECT}/cert.pem`]: "-----BEGIN CERTIFICATE-----\n",
  [`${HOME}/.aws/config`]: "[profile dev]\n",
});

/** The commands that are asked about or denied, and those that pass. */
export function measure(
  commands: readonly string[],
  system: MemorySystem,
): { readonly stopped: readonly string[]; readonly passed: readonly string[] } {
  const stopped = commands.filter(command => judge(command, { system }).verdict !== "allow");
  const stops = new Set(stopped);
  return { stopped, passed: commands.filter(command => !stops.has(command)) };
}
