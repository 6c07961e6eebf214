"""Codes on the settings of object stores: options, profiles of AWS, what Spark is told of them."""

from deltactl.explanations.entry import Explanation

STORE_SETTINGS = {
    "AWS_CREDENTIAL_PROCESS_FAILED": Explanation(
        8,
        "the program that a profile of AWS names for its keys gave none",
        """\
credential_process has to print a JSON object with Version 1, AccessKeyId and SecretAccessKey.
What it printed is not shown, for it may hold secrets: run it by hand.""",
    ),
    "AWS_PROFILE_NEEDS_BOTO3": Explanation(
        8,
        "the profile of AWS takes SSO or a role, and the package boto3 for it",
        """\
Install boto3 beside deltactl, or export the keys of the profile with the command that the hint
gives. Static keys and credential_process need nothing.""",
    ),
    "AWS_PROFILE_UNKNOWN": Explanation(
        8,
        "the files of AWS have no profile of that name",
        """\
The name is that of AWS_PROFILE, in the environment or as an option of the store. It is looked for
as [NAME] in ~/.aws/credentials and as [profile NAME] in ~/.aws/config; AWS_SHARED_CREDENTIALS_FILE
and AWS_CONFIG_FILE name other files.""",
    ),
    "AWS_PROFILE_UNREADABLE": Explanation(
        8,
        "a file with profiles of AWS cannot be read",
        """\
The message names the file, and the line where that is known, but not what stands there. Where keys
are set in the environment or as options, these files are not read.""",
    ),
    "AWS_SIGN_IN_FAILED": Explanation(
        8,
        "a profile of AWS could not be signed in",
        """\
Usually a session of SSO has ended: aws sso login --profile NAME begins another. Else the role may
not be taken on by who asks for it.""",
    ),
    "AZURE_ACCOUNT_UNKNOWN": Explanation(
        2,
        "nothing names the storage account of Azure that the table is in",
        """\
Set AZURE_STORAGE_ACCOUNT_NAME, in the environment or as an option of the store, or write the URL
as abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/PATH.""",
    ),
    "SETTING_NOT_FOR_SPARK": Explanation(
        9,
        "Hadoop, by which Spark reaches the store, has no such setting",
        """\
Work that needs no Spark is not touched by this. For Spark, identify yourself in another way, as the
hint says, or set Hadoop's own properties with --spark-conf spark.hadoop.KEY=VALUE.""",
    ),
    "STORAGE_OPTION_INVALID": Explanation(
        2,
        "an option of a store cannot have this value",
        """\
The message names the option, and not its value, which may hold a secret. It comes from the
environment, --storage-option, or deltactl.toml: `deltactl config show` tells.""",
    ),
    "STORAGE_OPTION_MISSING": Explanation(
        2,
        "an option of a store takes another one with it, which is not set",
        """\
AZURE_CREDENTIAL_TYPE names one way to sign in; what that way takes has to be set, too.""",
    ),
    "STORAGE_OPTION_UNKNOWN": Explanation(
        2,
        "no store has an option of this name",
        """\
Options are named as in the environment: AWS_REGION, AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID,
AZURE_STORAGE_ACCOUNT_NAME, AZURE_STORAGE_ACCOUNT_KEY, AZURE_STORAGE_SAS_TOKEN,
GOOGLE_SERVICE_ACCOUNT and so on; region, endpoint or account_name do, too, in any letter case.
Options of other stores than the table's are passed over.""",
    ),
    "STORE_DYNAMODB_LOG": Explanation(
        4,
        "writers of the table agree on versions by DynamoDB, which deltactl does not ask",
        """\
S3DynamoDBLogStore writes a version to DynamoDB first and to S3 later: a commit of another writer
in between would be lost. Since S3 has conditional writes there is a safer way: move all writers to
it, then unset the setting that the message names. Reading the table is safe.""",
    ),
    "STORE_UNSAFE_RENAME": Explanation(
        4,
        "a setting allows writers to overwrite each other's commits",
        """\
AWS_S3_ALLOW_UNSAFE_RENAME was needed before S3 had conditional writes. With it two writers can
both believe that a version is theirs. Unset it everywhere. Reading the table is safe.""",
    ),
}
