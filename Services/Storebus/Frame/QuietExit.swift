/// Ends a command with a status after it has printed all there is to say.
struct QuietExit: Error {
    var status: CLIExit
}
