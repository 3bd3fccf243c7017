import FoundationEssentials

extension PropertySettings {
    /// The settings from this process's environment.
    public static var environment: PropertySettings {
        PropertySettings(variables: ProcessInfo.processInfo.environment)
    }
}
