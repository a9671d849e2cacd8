import type { EnvironmentRecord } from "./environment.ts";

export interface HttpRules {
  readonly allowedUrls: readonly string[] | undefined;
  readonly allowPrivateNetwork: boolean;
  readonly env: EnvironmentRecord;
}
