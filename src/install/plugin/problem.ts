/** Why a plugin could not be handled: what is wrong and what to do. */
export class PluginProblem extends Error {
  override readonly name = "PluginProblem";
  readonly fix: string | undefined;

  constructor(message: string, fix?: string) {
    super(message);
    this.fix = fix;
  }
}
