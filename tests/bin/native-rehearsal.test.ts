import { describe, expect, it } from "vitest";
import { rehearse } from "../../src/bin/native-rehearsal.ts";

const payload = (command: string) =>
  JSON.stringify({
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    cwd: "/nowhere",
  });

describe("the rehearsal of the native program", () => {
  it("takes payloads that are answered, whatever the answer is", async () => {
    await expect(rehearse([payload("git status"), payload("rm -rf /")])).resolves.toBeUndefined();
  });

  it("fails on a payload that is no object", async () => {
    await expect(rehearse([payload("ls"), "[]"])).rejects.toThrow("not a JSON object");
  });

  it("fails on a run that does not end with 0, so that no image is made of it", async () => {
    const refused = JSON.stringify({
      agent_action_name: "pre_run_command",
      tool_info: { command_line: "rm -rf /" },
    });
    await expect(rehearse([refused])).rejects.toThrow("ended with 2");
  });
});
