CREATE TABLE transfers (
    source BIGINT NOT NULL REFERENCES accounts (id),
    target BIGINT NOT NULL REFERENCES accounts (id),
    amount BIGINT NOT NULL
);
