export interface ListedRecipe {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly author: string;
  readonly tags: readonly string[];
  readonly step_count: number;
  readonly path: string;
  readonly sha256: string;
}
