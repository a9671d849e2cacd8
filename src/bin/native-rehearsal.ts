import { definition, openProgram, openRun, readCommandLine } from "../hooks/index.ts";
import { isJsonObject, readJson } from "../protocol/index.ts";
import { createMemorySystem } from "../system/memory.ts";

const PLACE = "/home/user/project";

/**
 * Runs payloads of `pre-tool-use` on a system that touches nothing, while the image of the native program is made:
 * what the guard makes of its own tables when it first needs them is in the image then. A payload that is not
 * answered fails the build.
 */
export async function rehearse(payloads: readonly string[]): Promise<void> {
  const line = readCommandLine(["pre-tool-use"]);
  if (!line.ok) throw new Error(line.notice);
  for (const text of payloads) {
    const read = readJson(text);
    if (!read.ok || !isJsonObject(read.value))
      throw new Error("a payload to rehearse with is not a JSON object");
    const stdin = JSON.stringify({ ...read.value, cwd: PLACE });
    const system = createMemorySystem({ stdin, cwd: PLACE, files: { [`${PLACE}/.git/HEAD`]: "" } });
    const run = openRun(openProgram(definition, line.subcommand, undefined, system), line.call, system);
    const code = await run.run();
    if (code !== 0) throw new Error(`a payload to rehearse with ended with ${code}`);
  }
}
