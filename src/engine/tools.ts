import { isJsonObject, type Json } from "../protocol/index.ts";
import { asArguments } from "./calls/describe-value.ts";
import { freezeCopy } from "./reply.ts";
import type { ToolMap } from "./schema/validate.ts";
import { type Checked, type CompileJsonSchema, compileSchema, type Validator } from "./schema/validate.ts";

interface ToolValidators {
  readonly args: Validator;
  readonly result: Validator | undefined;
}

/** `tool` is the declared name; undefined with a problem when the input does not match its schema. */
interface FittedArgs {
  readonly tool: string | undefined;
  readonly args: unknown;
  readonly problem: string | undefined;
}

/** The tools a host declared, with their schemas ready to use. */
export class DeclaredTools {
  private readonly validators = new Map<string, ToolValidators>();

  /** Throws for a schema that cannot be used. */
  constructor(tools: ToolMap, compileJsonSchema: CompileJsonSchema) {
    for (const [name, { args, result }] of Object.entries(tools)) {
      this.validators.set(name, {
        args: compileSchema(args, `tools.${name}.args`, compileJsonSchema),
        result:
          result === undefined ? undefined : compileSchema(result, `tools.${name}.result`, compileJsonSchema),
      });
    }
  }

  /** the declared one of a tool's names */
  find(names: readonly string[]): string | undefined {
    return names.find(name => this.validators.has(name));
  }

  /** The input as its tool declares it; as it is when it does not fit. */
  async checkArgs(tool: string, input: Json): Promise<FittedArgs> {
    const checked = await this.checkInput(tool, input);
    if (checked.ok) {
      const args = checked.value === input ? input : freezeCopy(checked.value, true);
      return { tool, args, problem: undefined };
    }
    const problem = `the input of ${tool} does not match its schema: ${checked.problem}`;
    return { tool: undefined, args: asArguments(input), problem };
  }

  /** Whether an input may be given to a tool; any object is good for one that is not declared. */
  async checkInput(tool: string | undefined, input: Json): Promise<Checked> {
    const validator = tool === undefined ? undefined : this.validators.get(tool)?.args;
    if (validator !== undefined) return validator(input);
    return isJsonObject(input) ? { ok: true, value: input } : { ok: false, problem: "it is not an object" };
  }

  /** What a tool is really called with: any arguments are good for one that is not declared. */
  async checkCall(tool: string, args: unknown): Promise<Checked> {
    return this.validators.get(tool)?.args(args) ?? { ok: true, value: args };
  }

  async checkResult(tool: string | undefined, result: Json): Promise<Checked> {
    const validator = tool === undefined ? undefined : this.validators.get(tool)?.result;
    return validator === undefined ? { ok: true, value: result } : validator(result);
  }
}
