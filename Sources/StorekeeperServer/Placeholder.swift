import AsyncHTTPClient
import Hummingbird
import JWTKit
