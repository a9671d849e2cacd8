import { words } from "../shell/index.ts";
import { isInside } from "../system/index.ts";
import { partsBelow } from "./below.ts";
import type { Workspace } from "./workspace.ts";

/** Below the home directory; a trailing slash stands for the whole tree. */
const STARTUP = words(`
  .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zprofile .zshenv .zlogin .zlogout
  .kshrc .cshrc .tcshrc .login .inputrc .xprofile .xinitrc .xsession .xsessionrc .pam_environment .ssh/rc
  .config/fish/config.fish .config/fish/conf.d/ .config/autostart/ .config/systemd/user/ .config/environment.d/
  .local/share/systemd/user/ Library/LaunchAgents/ .config/plasma-workspace/ .config/nushell/config.nu
  .oh-my-zsh/custom/ .zshrc.d/ .bashrc.d/
`);

/** Files that run by themselves: what is written there outlives the session. */
export function isStartupFile(workspace: Workspace, path: string): boolean {
  if (/^\/(var\/spool\/cron|Library\/Launch(Agents|Daemons))(\/|$)/.test(path)) return true;
  const home = isInside(workspace.home, path) ? workspace.home : otherHome(path);
  if (
    home === undefined ||
    workspace.temps.some(temp => isInside(temp, path) && !isInside(temp, workspace.home))
  )
    return false;
  const below = partsBelow(home, path)?.join("/") ?? "";
  return STARTUP.some(name => (name.endsWith("/") ? `${below}/`.startsWith(name) : below === name));
}

function otherHome(path: string): string | undefined {
  return /^\/(?:root|home\/[^/]+|Users\/[^/]+)(?=\/)/.exec(path)?.[0];
}
