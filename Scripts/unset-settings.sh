# Sourced by the scripts that run the program on files of their own: the variables of a developer's real service override
# storekeeper.yaml, and must not reach them.
unset STOREKEEPER_CONFIG STOREKEEPER_ROOT STOREKEEPER_BUNDLE_ID STOREKEEPER_APP_APPLE_ID STOREKEEPER_ENVIRONMENTS \
    STOREKEEPER_CATALOGS STOREKEEPER_VAULT STOREKEEPER_VAULT_FILE STOREKEEPER_ACCOUNT_TOKENS \
    "${!STOREKEEPER_POLICY_@}" "${!STOREKEEPER_SERVE_@}"
