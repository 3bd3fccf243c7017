#if !SQLite && !Postgres
    #error("StorekeeperSQLite needs the trait SQLite, StorekeeperPostgres the trait Postgres")
#endif
