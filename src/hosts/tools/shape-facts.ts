import type { HookInput, Json } from "../../protocol/index.ts";
import { readShapes } from "./read-shapes.ts";

type Facts = HookInput["facts"];

/**
 * What a call is about, for people. Of a tool that is none of the host's own the shape of its arguments tells it: what
 * runs there is the command, also when it is SQL or code.
 */
export function factsOfCall(canonicalName: string, toolInput: Json, facts: Facts): Facts {
  if (facts.command !== null || facts.paths.length > 0) return facts;
  const { shapes, directory } = readShapes(canonicalName, toolInput);
  const texts = shapes.flatMap(shape => {
    if (shape.as === "file") return [];
    if (shape.as === "shell") return [shape.command];
    return [shape.as === "program" ? shape.argv.join(" ") : shape.text];
  });
  const paths = shapes.flatMap(shape =>
    shape.as === "file" ? [shape.path, ...(shape.to === undefined ? [] : [shape.to])] : [],
  );
  return {
    command: texts.length === 0 ? null : texts.join("\n"),
    paths: [...new Set(paths)],
    ...(directory === undefined ? {} : { directory }),
  };
}
