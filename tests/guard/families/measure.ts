import { HOME, judge, machine, PROJECT } from "../scene.ts";
import { draw, type Grammar } from "./generate.ts";

/** The machine of the scene with secrets in the project too, so that what is read and overwritten is there. */
const system = machine({
  [`${PROJECT}/.env`]: "API_KEY=abc\n",
  [`${PROJECT}/.env.local`]: "API_KEY=abc\n",
  [`${PROJECT}/terraform.tfvars`]: 'password = "abc"\n',
  [`${PROJECT}/cert.pem`]: "-----BEGIN CERTIFICATE-----\n",
  [`${HOME}/.aws/config`]: "[profile dev]\n",
  [`${HOME}/.kube/config`]: "users:\n",
});

/** The commands that are asked about or denied, and those that pass. */
export function measure(
  seed: number,
  grammar: Grammar,
  count: number,
): { readonly stopped: readonly string[]; readonly passed: readonly string[] } {
  const commands = draw(seed, grammar, count);
  const stopped = commands.filter(command => judge(command, { system }).verdict !== "allow");
  const stops = new Set(stopped);
  return { stopped, passed: commands.filter(command => !stops.has(command)) };
}
