"""Tables in object stores: S3, Azure and Google Cloud."""
