import {
  knownPrefix,
  type Payload,
  type ProgramCall,
  type ProgramEffect,
  type Value,
} from "../../shell/index.ts";

/** What comes in on the input of a program that sends it on. */
export function stdinPayloads({ stdin, redirections }: ProgramCall): readonly Payload[] {
  return [
    ...(stdin === undefined ? [] : [{ value: stdin, role: "body" } as const]),
    ...redirections
      .filter(({ operation }) => operation === "read")
      .map(({ target }): Payload => ({ value: target, role: "file" })),
  ];
}

export function payloads(role: Payload["role"], values: readonly Value[]): readonly Payload[] {
  return values.map(value => ({ value, role }));
}

/** Nothing is sent without a payload. */
export function sendEffect(to: Value | undefined, sent: readonly Payload[]): readonly ProgramEffect[] {
  return sent.length === 0 ? [] : [{ kind: "send", to, payloads: sent }];
}

/** Whatever comes in is sent on to the first word that is no option. */
export function sendStdin(call: ProgramCall, words: readonly Value[]): readonly ProgramEffect[] {
  const host = words.find(word => !knownPrefix(word).startsWith("-"));
  return sendEffect(host, stdinPayloads(call));
}
