"""Codes on object stores: reaching them, being let in, and what they can do."""

from deltactl.explanations.entry import Explanation

STORES = {
    "BUCKET_NOT_FOUND": Explanation(
        8,
        "the object store has no such bucket, or container",
        """\
The bucket is the first part of the URL: s3://BUCKET/PATH, abfss://CONTAINER@ACCOUNT.../PATH. With
an endpoint of your own (AWS_ENDPOINT_URL) it has to exist there.""",
    ),
    "CLOCK_SKEWED": Explanation(
        8,
        "the clock of this machine and that of the store differ too much",
        """\
Requests are signed with the time, and stores reject those that seem to be minutes old. Set the
clock, by NTP for example.""",
    ),
    "CREDENTIALS_REJECTED": Explanation(
        8,
        "the store knows the credentials to be wrong, or to have expired",
        """\
The message has the store's own code. Credentials come from --storage-option, a profile in
deltactl.toml, the environment (AWS_*, AZURE_*, GOOGLE_*), and the provider's own places, in this
order; `deltactl config show` names which are set, and where.""",
    ),
    "KEY_NOT_SUPPORTED": Explanation(
        8,
        "a file has a name that cannot be asked for in this store",
        """\
Object stores have no parts . and .. in a name, and none that is empty; control characters cannot be
sent. A path that begins with / is one of a file system, and means nothing there. Where an object in
the log's folder has such a name the folder cannot be listed, until that object is removed.""",
    ),
    "NOT_A_STORE": Explanation(
        8,
        "what answers at the endpoint is not an object store of this kind",
        """\
It says that a file is there which nobody can have made, or answers with a page. Consoles have ports
of their own beside the store's; proxies and networks may put a page to log in between. Look at
AWS_ENDPOINT_URL, AZURE_STORAGE_ENDPOINT or GOOGLE_BASE_URL.""",
    ),
    "NO_CREDENTIALS": Explanation(
        8,
        "no credentials for the store were found",
        """\
Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or AWS_PROFILE, AZURE_STORAGE_ACCOUNT_KEY or a
service principal, or GOOGLE_APPLICATION_CREDENTIALS. They may also stand in a profile of
deltactl.toml.""",
    ),
    "FILE_NOT_REGULAR": Explanation(
        8,
        "a named pipe, a socket or a device has the name of a file",
        """\
A program that opens a named pipe waits until another one writes to it, which may be for ever.
deltactl does not read it. See which program made it, and move it away.
`ls -l` shows what it is.""",
    ),
    "SPARK_OVERWRITES": Explanation(
        None,
        "Spark is set to write to S3 without the condition that protects commits",
        """\
fs.s3a.create.conditional.enabled=false has Spark put a commit whether one is there or not. Two
writers of a table are only safe if each creates commits where none is: leave it at true.""",
    ),
    "STORAGE_FAILED": Explanation(
        8,
        "the store failed, or its answer broke off",
        """\
The message has what the store said. Nothing is known to be wrong with the table: run it again; if
it goes on, the store's own log knows more.""",
    ),
    "STORE_BUSY": Explanation(
        8,
        "the store was too busy to answer, several times",
        """\
Stores slow clients down that ask too much, and have bad moments. What was to be written is not
there unless the message says that this is not known. Run it again later.""",
    ),
    "STORE_FULL": Explanation(
        8,
        "the store has no room for the file, or a quota is used up",
        """\
Nothing was written. Asking again would not help, so it is not tried again.""",
    ),
    "STORE_MISCONFIGURED": Explanation(
        8,
        "the settings of the store do not make a request that can be sent",
        """\
The message names the setting where it is known: half of a pair of keys, a missing file, or a
malformed key. An endpoint that begins with http:// is asked as it is, unless AWS_ALLOW_HTTP,
AZURE_ALLOW_HTTP or GOOGLE_ALLOW_HTTP is false: without TLS everybody on the way can read along.""",
    ),
    "STORE_TIMED_OUT": Explanation(
        8,
        "the store did not answer in time",
        """\
--timeout says how long each answer may take, and how long is tried again.""",
    ),
    "STORE_UNREACHABLE": Explanation(
        8,
        "nobody answers at the store's address",
        """\
The endpoint is wrong, or the network does not lead there: look at AWS_ENDPOINT_URL (or
AZURE_STORAGE_ENDPOINT), at the region, at proxies.""",
    ),
    "TLS_FAILED": Explanation(
        8,
        "no secure connection to the store could be made",
        """\
Its certificate is not known to this machine, is for another name, or has expired; or the endpoint
speaks no TLS at all, and its URL has to begin with http://.""",
    ),
    "WRONG_REGION": Explanation(
        8,
        "the bucket is in another region than the one that was asked",
        """\
Name the bucket's region: AWS_REGION in the environment, --storage-option AWS_REGION=..., or in a
profile of deltactl.toml.""",
    ),
}
