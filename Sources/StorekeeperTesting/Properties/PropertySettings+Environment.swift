import FoundationEssentials

extension PropertySettings {
    /// What the environment of this process says.
    public static var environment: PropertySettings {
        PropertySettings(variables: ProcessInfo.processInfo.environment)
    }
}
