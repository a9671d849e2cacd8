const IPV4_LOOPBACK = /^127(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}$/;

/**
 * Does the host of an address mean this machine, and no network that others share? A host is taken as it is written,
 * with or without the brackets of a URL. Other spellings of a loopback address (`0x7f.1`, `::ffff:127.0.0.1`,
 * `localhost.`) do not count: resolvers read them differently.
 */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || IPV4_LOOPBACK.test(host);
}
