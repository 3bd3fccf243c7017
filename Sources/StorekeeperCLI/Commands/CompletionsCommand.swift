import ArgumentParser

/// `storekeeper completions SHELL`.
struct CompletionsCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Prints a completion script for a shell.",
        discussion: """
            Equivalent to --generate-completion-script SHELL.

            EXAMPLES
              storekeeper completions bash \\
                > ~/.local/share/bash-completion/completions/storekeeper
              storekeeper completions zsh > ~/.zsh/completions/_storekeeper
              storekeeper completions fish > ~/.config/fish/completions/storekeeper.fish
            """)

    @Argument(help: "bash, zsh or fish.", completion: .list(["bash", "zsh", "fish"]))
    var shell: String

    func run(on console: Console) async throws(CommandError) -> ExitStatus {
        guard ["bash", "zsh", "fish"].contains(shell), let shell = CompletionShell(rawValue: shell) else {
            throw .usage("'\(shell)' is not a supported shell", at: "completions", "use bash, zsh or fish")
        }
        console.output.line(StorekeeperCommand.completionScript(for: shell))
        return .success
    }
}
