import { setTimeout } from "node:timers/promises";
import { CommandError, defineCommand, FORMAT_OPTION } from "../cli/index.ts";
import { errorText, numberAt, stringAt } from "../protocol/index.ts";
import { loadJoinedServer, loadOpenTarget } from "../ship/index.ts";
import { requireDirectories } from "../state/index.ts";

const TIMEOUT_MS = 15_000;

export const command = defineCommand({
  name: "join",
  summary: "let this machine ship to the server of a team",
  group: "Look",
  details: `
Shows a code and an address. Whoever logs in there and says yes to the code lets
this machine in: what it ships counts as theirs. The key stays in
~/.amplihack/server.json. Then amplihack ship --to server sends.`,
  positionals: [{ name: "SERVER", summary: "its address: https://agents.acme.example" }],
  options: { format: FORMAT_OPTION },
  forAgents: "asks",
  examples: { "amplihack join https://agents.acme.example": "asks to be let in" },
  async run({ options, positionals, system, terminal }) {
    const { readServerUrl, joinedFile, post, fixOfFailure } = await loadJoinedServer();
    const { machineName } = await loadOpenTarget();
    const url = readServerUrl(positionals[0] ?? "").origin;
    const ask = async (path: string, document: object) => {
      try {
        return await post(url, path, document, { timeoutMs: TIMEOUT_MS });
      } catch (error) {
        const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
        const fix = fixOfFailure(cause);
        throw new CommandError(`${url} ${fix === undefined ? "does not answer" : "cannot be trusted"}`, {
          kind: "offline",
          causes: [errorText(cause)],
          fix: fix ?? "check the address",
        });
      }
    };
    const begun = await ask("/api/v1/join", { machine: machineName(system) });
    const secret = stringAt(begun.body, "secret");
    if (begun.status !== 200 || secret === undefined)
      throw new CommandError(
        `${url} let nobody join: ${stringAt(begun.body, "error") ?? `status ${begun.status}`}`,
        {
          kind: "refused",
          fix: "ask whoever runs the server",
        },
      );
    terminal.note(
      `Open ${stringAt(begun.body, "address")}\nand compare the code: ${stringAt(begun.body, "code")}\n`,
    );
    for (;;) {
      await setTimeout((numberAt(begun.body, "interval") ?? 2) * 1000);
      const { status, body } = await ask("/api/v1/join/end", { secret });
      if (status === 429 || stringAt(body, "state") === "waiting") continue;
      const key = stringAt(body, "key");
      if (status !== 200 || key === undefined)
        throw new CommandError(
          `this machine was not let in: ${stringAt(body, "error") ?? `status ${status}`}`,
          {
            kind: "refused",
            fix: `amplihack join ${url}`,
          },
        );
      const [team, person] = [stringAt(body, "team") ?? "", stringAt(body, "person") ?? ""];
      joinedFile(system, requireDirectories(system).stateHome).write({
        url,
        team,
        person,
        key,
        anchor: null,
        serverKey: stringAt(body, "serverKey") ?? null,
      });
      terminal.printResult(
        options.format,
        { success: true, url, team, person },
        `This machine is in the team ${team}, as one of ${person}.\n`,
      );
      terminal.note("Send what it has: amplihack ship --once --to server\n");
      return 0;
    }
  },
});
