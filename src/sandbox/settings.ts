/** What a person widened or narrowed; `sandbox` of the configuration. */
export interface SandboxSettings {
  /** `hosts`: only those listed and the registries of package managers, through a proxy */
  readonly network: "off" | "hosts" | "on";
  /** `api.example.com`, `*.example.com`, `example.com:8443` */
  readonly hosts: readonly string[];
  /** ports of this machine */
  readonly ports: readonly number[];
  /** shown although they would be hidden */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** variables that are handed on although they look like secrets */
  readonly env: readonly string[];
}

export const DEFAULT_SANDBOX: SandboxSettings = {
  network: "hosts",
  hosts: [],
  ports: [],
  read: [],
  write: [],
  env: [],
};
