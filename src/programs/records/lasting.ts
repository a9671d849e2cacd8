import { describe, type Invocation, words } from "../../shell/index.ts";
import { splitRows } from "../model/text-table.ts";

/**
 * Programs that do not end by themselves: servers, watchers, screens. Behind them the words or options with which they do
 * not, any if there are none; then those with which they end all the same.
 */
const LASTING = `
  nodemon watchman watchexec entr fswatch inotifywait live-server http-server serve browser-sync ||
  vite || build optimize --help --version
  nuxt astro remix wrangler next gatsby storybook vue-cli-service ng expo | - dev start serve preview watch | build
  gunicorn uvicorn hypercorn daphne caddy nginx httpd redis-server postgres mongod mysqld memcached etcd minio || -t -v
  top htop btop iotop vi vim nvim nano emacs less more man tmux screen fzf gdb lldb mc ranger lazygit tig || -b -batch --batch
  npm pnpm yarn bun deno | dev start serve watch preview storybook | build
  flask rails manage.py webpack hugo jekyll mkdocs sphinx-autobuild php artisan symfony | run runserver s server serve -S |
  http.server ||
  tail | -f -F --follow --retry |
  docker docker-compose podman | logs attach up | -d --detach --no-follow
  kubectl | port-forward proxy attach | --timeout
  journalctl dmesg | -f --follow -w |
  ssh mosh telnet nc ncat socat | -l -L -R -D -N -k |
  tsc rollup esbuild swc babel sass tailwindcss webpack-cli tsup parcel | --watch -w --serve serve |
  jest mocha ava gradle | --watch --watchAll --continuous |
  vitest cargo mix | watch --watch |
  ping watch yes || -c -n -t
  sleep | infinity inf |
`;

interface Lasting {
  readonly with: readonly string[];
  readonly endsWith: readonly string[];
}

let table: ReadonlyMap<string, Lasting> | undefined;

function readLasting(): ReadonlyMap<string, Lasting> {
  return new Map(
    splitRows(LASTING).flatMap(row => {
      const [names = "", given = "", ending = ""] = row.split("|").map(cell => cell.trim());
      return words(names).map(name => [name, { with: words(given), endsWith: words(ending) }] as const);
    }),
  );
}

/** Their words name what they start. */
const STARTERS = /^(?:python[\d.]*|node|npx|pnpx|bunx|uvx?|poetry|pipenv|bundle)$/;

/** It goes on until somebody ends it: in the background, or by what it is. */
export function goesOn({ program, argv, isBackground }: Invocation): boolean {
  if (isBackground) return true;
  table ??= readLasting();
  const given = argv.slice(1).map(describe);
  const name = program ?? "";
  // `python -m http.server`, `python manage.py runserver`, `npx vite`
  const starts = [name, ...(STARTERS.test(name) ? given.filter(word => table?.has(word) === true) : [])];
  return starts.some((start, index) => {
    const found = table?.get(start);
    if (found === undefined) return false;
    const behind = index === 0 ? given : given.slice(given.indexOf(start) + 1);
    const has = (list: readonly string[]) => list.some(word => behind.some(each => isWord(each, word)));
    if (has(found.endsWith)) return false;
    const isAlone = found.with.includes("-") && behind.every(word => word.startsWith("-"));
    return found.with.length === 0 || isAlone || has(found.with);
  });
}

/** `-f` also stands in `-nf` and in front of its value. */
function isWord(given: string, wanted: string): boolean {
  if (given === wanted || given.startsWith(`${wanted}=`) || given.startsWith(`${wanted}:`)) return true;
  return /^-\w$/.test(wanted) && /^-[a-zA-Z]+\d*$/.test(given) && given.includes(wanted.slice(1));
}
