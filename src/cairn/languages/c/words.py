"""Functions of C's library."""

BUILTINS = frozenset(
    (
        "abort assert atoi calloc close errno exit fclose fopen fprintf fread free fwrite getenv ioctl "
        "isalpha isdigit isspace malloc memcmp memcpy memmove memset open poll printf puts qsort read realloc "
        "recv send signal snprintf socket sprintf stat strcasecmp strchr strcmp strcpy strdup strerror strlen "
        "strncmp strstr strtol time vsnprintf write"
    ).split()
)
