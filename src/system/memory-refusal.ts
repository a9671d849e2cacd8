/** Why an operation cannot be; `perform` makes the error of it, with what was asked and of which path. */
export class Refusal {
  readonly code: string;

  constructor(code: string) {
    this.code = code;
  }
}

export function fail(code: string): never {
  throw new Refusal(code);
}
