import { SERVICE_FOLDER } from "../../hooks/index.ts";

/** Where the parts of the service lie. All of them are root's. */
export const SERVICE_FILES = {
  program: "/usr/local/lib/amplihack/consent-service",
  socketUnit: "/etc/systemd/system/amplihack-consent.socket",
  serviceUnit: "/etc/systemd/system/amplihack-consent@.service",
  action: "/usr/share/polkit-1/actions/io.amplihack.consent.policy",
} as const;

export const SERVICE_SOCKET = "/run/amplihack/consent.sock";
const ACTION = "io.amplihack.consent";

/**
 * The whole service: one file of shell text, which starts programs of the system alone. systemd starts it for each
 * connection and names the instance NUMBER-PID-UID after who connected, so that nobody can say they are somebody else.
 * It shows what was sent, has polkit ask for the user's password, and writes a file that is root's. What was shown
 * stands in it as a checksum: the hook program compares that with the call, so that a harmless text permits only itself.
 */
export const BROKER = `#!/bin/sh
# amplihack consent-service: has polkit ask the person, and writes down what they permitted, as root.
# One request on standard input, six lines: amplihack-consent 1, code, digest, session, host, text in base64.
set -u
umask 022
PATH=/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C
export PATH LC_ALL
FOLDER=${SERVICE_FOLDER}
PKCHECK=/usr/bin/pkcheck
LIFE=900

fail() { printf 'no %s\\n' "$1"; exit 0; }
line() { printf '%s\\n' "$request" | sed -n "$1p"; }
is() { printf '%s\\n' "$1" | grep -Eqx "$2"; }

request=$(head -n 6 | head -c 16384)
peer=\${1#*-}
pid=\${peer%%-*}
uid=\${peer##*-}
is "$1" '[0-9]+-[0-9]+-[0-9]+' || fail 'nobody is known at the other end'
[ "$uid" -ne 0 ] || fail 'root needs no service'

[ "$(line 1)" = 'amplihack-consent 1' ] || fail 'the request was not understood'
code=$(line 2); digest=$(line 3); session=$(line 4); host=$(line 5); shown=$(line 6)
is "$code" '[A-Z2-9]{6}' || fail 'the code was not understood'
is "$digest" '[0-9a-f]{64}' || fail 'the digest was not understood'
is "$session" '[A-Za-z0-9._:-]{0,200}' || fail 'the session was not understood'
is "$host" '[A-Za-z0-9._:-]{0,100}' || fail 'the host was not understood'
[ "\${#shown}" -le 12000 ] || fail 'the text is too long to be shown'
is "$shown" '[A-Za-z0-9+/]+={0,2}' || fail 'the text was not understood'
text=$(printf %s "$shown" | base64 -d 2>/dev/null) || fail 'the text was not understood'
[ "$(printf %s "$text" | tr -cd '\\n' | wc -c)" -le 1 ] || fail 'the text has more lines than one for the command and one for the folder'
printf %s "$text" | tr -d '\\n' | grep -aq '[[:cntrl:]]' && fail 'the text has characters that cannot be seen'
sum=$(printf %s "$shown" | base64 -d | sha256sum | cut -d ' ' -f 1)

start=$(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | cut -d ' ' -f 20)
is "$start" '[0-9]+' || fail 'whoever asked is gone'
"$PKCHECK" --action-id ${ACTION} --process "$pid,$start,$uid" --allow-user-interaction \\
  --detail command "$text" >/dev/null 2>&1 || fail 'the password was not given'

expires=$(( ($(date +%s) + LIFE) * 1000 ))
mkdir -p "$FOLDER" || fail 'the folder cannot be made'
own=$FOLDER/$uid
[ -d "$own" ] || { mkdir -m 700 "$own" && chown "$uid" "$own"; } || fail 'the folder cannot be made'
new=$FOLDER/.$$
with() { [ -z "$2" ] || printf '"%s":"%s",' "$1" "$2"; }
{ printf '{'; with code "$code"; with digest "$digest"; with session "$session"; with host "$host"
  with shown "$sum"; printf '"expiresMs":%s}\\n' "$expires"; } > "$new" || fail 'it cannot be written'
# A rename follows no link that the user may have put there.
mv -fT "$new" "$own/$code.json" || { rm -f "$new"; fail 'it cannot be written'; }
printf 'yes %s\\n' "$expires"
`;

export const SOCKET_UNIT = `[Unit]
Description=amplihack: hears what a person permits

[Socket]
ListenStream=${SERVICE_SOCKET}
SocketMode=0666
Accept=yes
MaxConnections=8

[Install]
WantedBy=sockets.target
`;

export const SERVICE_UNIT = `[Unit]
Description=amplihack: one question to a person

[Service]
ExecStart=${SERVICE_FILES.program} %i
StandardInput=socket
StandardOutput=socket
StandardError=journal
RuntimeMaxSec=300
ProtectHome=yes
ProtectSystem=strict
ReadWritePaths=/run
PrivateTmp=yes
NoNewPrivileges=yes
`;

export const POLKIT_ACTION = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE policyconfig PUBLIC "-//freedesktop//DTD PolicyKit Policy Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/PolicyKit/1/policyconfig.dtd">
<policyconfig>
  <action id="${ACTION}">
    <description>Permit a command of a coding agent</description>
    <message>Permit this command of a coding agent, once? $(command)</message>
    <defaults>
      <allow_any>auth_self</allow_any>
      <allow_inactive>auth_self</allow_inactive>
      <allow_active>auth_self</allow_active>
    </defaults>
  </action>
</policyconfig>
`;
