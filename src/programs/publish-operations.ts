import { operations } from "./operation-table.ts";

/** Commands that give something away to everybody, or take it back from them. */
export const publishOperations = () =>
  operations({
    publish: `
    npm|pnpm|bun|deno|lerna|vsce|ovsx|jsr publish|pub|publ|publi|publis | publish a package to everybody | safer npm
        publish --dry-run
    yarn publish | publish a package to everybody | safer yarn pack --dry-run
    yarn …npm publish | publish a package to everybody | safer yarn pack --dry-run
    pnpm …publish | publish packages to everybody | safer pnpm publish --dry-run
    npm|pnpm unpublish|deprecate | take a published package away | safer npm view {rest}
    npm dist-tag|owner add|rm | change a published package | safer npm dist-tag ls
    npm access | change who may publish | safer npm access list packages
    changeset publish | publish packages to everybody | safer changeset status
    cargo publish | publish a crate to everybody | safer cargo publish --dry-run
    cargo yank | take a published crate away | unless undo | safer cargo search {rest}
    cargo owner | change who may publish | needs add remove a r | safer cargo owner --list
    twine upload | publish a package to everybody | safer twine check dist/*
    poetry|flit|hatch|pdm|uv|maturin publish|upload | publish a package to everybody | safer twine check dist/*
    gem push|yank | publish or take away a gem | safer gem build
    mvn|mvnw …deploy|release:perform | publish an artifact | safer mvn verify
    gradle|gradlew publish|uploadArchives|publishToMavenCentral|publishPlugins | publish an artifact | safer gradle
        publishToMavenLocal
    dotnet nuget push|delete | publish a package to everybody | safer dotnet pack
    nuget push|delete | publish a package to everybody | safer nuget pack
    pod trunk push|delete | publish a pod to everybody | safer pod lib lint
    setup.py upload | publish a package to everybody | safer twine check dist/*
    anaconda|luarocks|stack|cabal upload | publish a package to everybody | safer {tool} --help
    helm push | publish a chart | safer helm package .
    ansible-galaxy collection|role publish|import | publish a collection | safer ansible-galaxy --help
    dart|flutter pub publish | publish a package to everybody | safer dart pub publish --dry-run
    mix hex.publish | publish a package to everybody | safer mix hex.build
    semantic-release|release-it|np | publish a release | safer semantic-release --dry-run
    goreleaser release | publish a release | unless snapshot skip-publish skip | safer goreleaser release --snapshot
  `,
  });
