/** Who sends, as the key says. */
export interface Machine {
  readonly id: string;
  readonly team: string;
  readonly person: string;
  readonly machine: string;
  /** the key is to be replaced */
  readonly isOld: boolean;
}
