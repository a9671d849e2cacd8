// What every example has: an engine with two hooks, a tool that only pretends, and what its model wants to do.
import { createHookEngine, guard } from "amplihack/engine";

export const engine = createHookEngine({ projectDir: process.cwd() });
engine.use(guard());

// A broken redactor must not leak: `closed` withholds the output if this hook fails.
engine.afterToolCall(
  "*",
  ({ result }) => {
    const text = JSON.stringify(result);
    const redacted = text.replace(/sk-[\w-]+/g, "[redacted]");
    return redacted === text ? undefined : { result: JSON.parse(redacted) };
  },
  { onFailure: "closed" },
);

/** The guard refuses the first of these and asks about the second. */
export const DELETE = "rm -rf ~";
export const PUSH = "git push --force origin feature";

/** Nothing is run: an example may ask for anything. */
export async function pretendShell(command: string): Promise<string> {
  console.log(`shell    ${command}`);
  return `done with token sk-live-4242`;
}

/** A person who says yes. */
export function ask(reason: string): boolean {
  console.log(`asked    ${firstSentence(reason)}`);
  return true;
}

export function modelReads(text: string): void {
  console.log(`model    ${firstSentence(text)}`);
}

function firstSentence(text: string): string {
  return text.split(/\n|(?<=\.) /, 1).join("");
}
