"""The image service that a person has configured: pictures from text, by OpenAI's API."""
